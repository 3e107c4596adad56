"""Lengths of time, instants, and the clock: the one module that reads it."""

from __future__ import annotations

import re
import time as _time
from datetime import UTC, datetime, timedelta
from typing import Protocol

from headrace.errors import InvalidDuration, InvalidOption

Duration = str | timedelta
Instant = str | datetime

_UNITS = {
    "microsecond": 1,
    "us": 1,
    "millisecond": 1_000,
    "ms": 1_000,
    "second": 1_000_000,
    "sec": 1_000_000,
    "s": 1_000_000,
    "minute": 60_000_000,
    "min": 60_000_000,
    "m": 60_000_000,
    "hour": 3_600_000_000,
    "h": 3_600_000_000,
    "day": 86_400_000_000,
    "d": 86_400_000_000,
    "week": 604_800_000_000,
    "w": 604_800_000_000,
}
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([a-zA-Z]+)\s*")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def micros(duration: Duration, what: str = "duration", *, zero: bool = False) -> int:
    """The length in whole microseconds.

    >>> micros("1 minute 30 s")
    90000000
    """
    length = _micros_of(duration, what)
    if length < 0 or (length == 0 and not zero):
        raise InvalidDuration(
            f"{what} {show(length)} is {'zero' if length == 0 else 'negative'}",
            hint="give a length above zero, such as '10 seconds'",
        )
    return length


def _micros_of(duration: Duration, what: str) -> int:
    if isinstance(duration, timedelta):
        return duration // timedelta(microseconds=1)
    if not isinstance(duration, str):
        raise InvalidDuration(
            f"{what} {duration!r} has no unit",
            hint=f"write '{duration} seconds', or a datetime.timedelta",
        )
    text, total, at = duration.strip(), 0.0, 0
    sign = -1 if text.startswith("-") else 1
    text = text.removeprefix("-").lstrip()
    for part in _PART.finditer(text):
        scale = _scale(part[2])
        if part.start() != at or scale is None:
            break
        total, at = total + float(part[1]) * scale, part.end()
    if not text or at != len(text):
        raise InvalidDuration(
            f"{what} '{duration}' is not a length of time",
            hint="write a number and a unit: '10 seconds', '5 minutes', '1 hour 30 minutes', '250 ms'",
        )
    return sign * round(total)


def _scale(unit: str) -> int | None:
    unit = unit.lower()
    return _UNITS.get(unit) or _UNITS.get(unit.removesuffix("s"))


def show(length: int) -> str:
    """Microseconds as a person would write them.

    >>> show(300_000_000)
    '5 minutes'
    """
    if length < 0:
        return f"-{show(-length)}"
    for name in ("week", "day", "hour", "minute", "second", "millisecond"):
        if length and length % _UNITS[name] == 0:
            count = length // _UNITS[name]
            return f"{count} {name}{'' if count == 1 else 's'}"
    return f"{length} microseconds"


def interval(length: int) -> str:
    """Microseconds as Spark's parser of intervals wants them."""
    return f"{length} microseconds"


def instant(value: Instant, what: str = "instant") -> datetime:
    """A moment, with a zone; one without a zone is taken as UTC."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise InvalidOption(
                f"{what} '{value}' is not a moment in time",
                hint="write it as ISO 8601: '2026-01-31T12:00:00' (UTC unless it names a zone)",
            ) from None
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def epoch_micros(moment: datetime) -> int:
    return (instant(moment) - _EPOCH) // timedelta(microseconds=1)


def from_epoch_micros(value: int) -> datetime:
    return _EPOCH + timedelta(microseconds=value)


class Clock(Protocol):
    """What tells the time; a test holds its own."""

    def now(self) -> datetime: ...

    def monotonic(self) -> float: ...

    def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return _time.monotonic()

    def sleep(self, seconds: float) -> None:
        _time.sleep(seconds)


SYSTEM_CLOCK = SystemClock()
