"""What the user asked for, as immutable nodes that remember the line they were written on."""
