"""Tests that drive time: a real Spark query, sources and sinks in memory, and a clock that the test holds."""

from headrace.testing.driver import TestDriver

__all__ = ["TestDriver"]
