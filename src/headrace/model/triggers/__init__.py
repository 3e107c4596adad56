"""The kinds of trigger, a file each."""
