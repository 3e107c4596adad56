"""From bytes to rows and back, a file a format; each is told to Spark as SQL."""
