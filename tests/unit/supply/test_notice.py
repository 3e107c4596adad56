from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest

from headrace.supply.notice import Notice


class HeldClock:
    """A clock that stands where it is put."""

    def __init__(self) -> None:
        self.at = 0.0

    def monotonic(self) -> float:
        return self.at

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.at, UTC)

    def sleep(self, seconds: float) -> None:
        self.at += seconds


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("seconds", [0.0, 0.9])
def test_silent_for_a_second(seconds: float) -> None:
    clock, stream = HeldClock(), io.StringIO()
    notice = Notice("fetching", stream=stream, clock=clock)
    clock.at = seconds
    notice.update("1/2")
    notice.close()
    assert stream.getvalue() == ""


def test_one_line_in_a_file() -> None:
    clock, stream = HeldClock(), io.StringIO()
    notice = Notice("fetching", stream=stream, clock=clock)
    clock.at = 1.0
    for progress in ("1/2", "2/2"):
        notice.update(progress)
    notice.close()
    assert stream.getvalue() == "fetching: 1/2\n"


def test_a_line_that_changes_on_a_terminal() -> None:
    clock, stream = HeldClock(), Terminal()
    notice = Notice("fetching", stream=stream, clock=clock)
    clock.at = 1.0
    notice.update("1/2")
    notice.update()
    notice.close()
    assert stream.getvalue() == "\r\x1b[Kfetching: 1/2\r\x1b[Kfetching …\r\x1b[K"
