"""Programs to read and to run, each with one command."""
