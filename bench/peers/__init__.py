"""Peers: systems of others, each in an environment of its own, and the programs that they run."""
