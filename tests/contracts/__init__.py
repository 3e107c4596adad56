"""One suite for every way of running a window: batch, micro-batches cut anyhow, and after a restart."""
