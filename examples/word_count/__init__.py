"""Words counted four ways: in one go, as they come, by the clock, and by the time that they were said."""
