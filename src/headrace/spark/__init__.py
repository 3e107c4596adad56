"""The only room that touches the JVM: the session, and plans turned into DataFrames."""
