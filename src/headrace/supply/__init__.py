"""What the machine must supply: a Java, the pinned jars, room on the disk."""
