"""Numbers and lengths of time, short enough for a person to read at a glance."""

from __future__ import annotations

from datetime import datetime

from headrace.time import from_epoch_micros

NO_MORE_TIME = 9999


def count(value: float) -> str:
    """A number in at most five characters.

    >>> [count(n) for n in (0, 7.25, 999, 12_340, 1_200_000)]
    ['0', '7.2', '999', '12.3k', '1.2M']
    """
    if value < 0:
        return f"-{count(-value)}"
    if value < 100 and value != int(value):
        return _trimmed(value) if value >= 0.05 else "<0.1"
    size = float(round(value))
    for unit in ("", "k", "M", "G", "T"):
        if size < 999.5:
            return (_trimmed(size) if unit and size < 99.95 else f"{size:.0f}") + unit
        size /= 1000
    return f"{size:.0f}P"


def _trimmed(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def millis(value: float) -> str:
    """A length of time in milliseconds.

    >>> [millis(n) for n in (0.4, 210.4, 12_300, 200_000)]
    ['0.4 ms', '210 ms', '12.3 s', '3m 20s']
    """
    if value < 10:
        return f"{_trimmed(value)} ms"
    if value < 1000:
        return f"{value:.0f} ms"
    return f"{_trimmed(value / 1000)} s" if value < 120_000 else span(value / 1000)


def span(seconds: float) -> str:
    """A length of time in seconds, in its two largest units.

    >>> [span(n) for n in (4, 83, 3_725, 200_000)]
    ['4s', '1m 23s', '1h 02m', '2d 07h']
    """
    whole = int(seconds)
    for size, part, name, small in ((86400, 3600, "d", "h"), (3600, 60, "h", "m"), (60, 1, "m", "s")):
        if whole >= size:
            return f"{whole // size}{name} {whole % size // part:02d}{small}"
    return f"{whole}s"


def watermark(moment: datetime, now: datetime) -> str:
    """A watermark in UTC, with its day where that is another one."""
    if moment.year >= NO_MORE_TIME:
        return "end of time"
    if moment <= from_epoch_micros(0):
        return "none yet"
    return f"{moment:%H:%M:%S}" if moment.date() == now.date() else f"{moment:%Y-%m-%d %H:%M:%S}"


def behind(moment: datetime, now: datetime) -> str:
    """How far a watermark is behind the clock."""
    if moment.year >= NO_MORE_TIME or moment <= from_epoch_micros(0):
        return ""
    seconds = (now - moment).total_seconds()
    return f"{span(seconds)} behind" if seconds > -1 else f"{span(-seconds)} ahead"
