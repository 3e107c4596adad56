"""The kinds of window, a file each."""
