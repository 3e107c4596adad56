"""Tests that drive time: a real Spark query, sources and sinks in memory, and a clock that the test holds."""

from headrace.testing.driver import At, TestDriver

__all__ = ["At", "TestDriver"]
