"""The values of a table as short text, and as what JSON can hold."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from rich.cells import cell_len, set_cell_size

from headrace.time import show as duration

NULL = "null"
WIDEST = 48


def column(values: Sequence[Any], today: date, widest: int = WIDEST) -> list[str]:
    """The values of one column, cut to the widest; times all show their day, or none does.

    >>> column([None, 2.5, True], date(2026, 1, 1))
    ['null', '2.5', 'true']
    """
    moments = [moment for value in values for moment in _moments(value)]
    days = any(moment.date() != today for moment in moments)
    ends = [moment for value in values for moment in ((bounds(value) or ()) or _moments(value))]
    pattern = ("%Y-%m-%d " if days else "") + "%H:%M:%S"
    fine = any(moment.microsecond for moment in ends)
    return [cut(_cell(value, pattern, fine=fine), widest) for value in values]


def width(texts: Sequence[str]) -> int:
    return max((cell_len(text) for text in texts), default=0)


def cut(text: str, room: int) -> str:
    """The text, with … where it had to be cut."""
    return text if cell_len(text) <= room else set_cell_size(text, max(room - 1, 0)).rstrip() + "…"


def is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def bounds(value: Any) -> tuple[datetime, datetime] | None:
    """The start and the end of a window, where the value is one."""
    if isinstance(value, Mapping) or hasattr(value, "asDict"):
        fields = value if isinstance(value, Mapping) else value.asDict()
        start, end = fields.get("start"), fields.get("end")
        if len(fields) == 2 and isinstance(start, datetime) and isinstance(end, datetime):
            return _utc(start), _utc(end)
    return None


def plain(value: Any) -> Any:
    """The value as JSON can hold it: rows as objects, times as ISO 8601, bytes in Base64."""
    if hasattr(value, "asDict"):
        value = value.asDict()
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(inner) for inner in value]
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _moments(value: Any) -> list[datetime]:
    """The times that say which day a value is of."""
    if isinstance(value, datetime):
        return [_utc(value)]
    window = bounds(value)
    return [window[0]] if window else []


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC) if moment.tzinfo else moment


def _cell(value: Any, pattern: str, *, fine: bool) -> str:
    if isinstance(value, datetime):
        return _time(_utc(value), pattern, fine=fine)
    if window := bounds(value):
        start, end = window
        short = end - start <= timedelta(days=1)
        return f"{_time(start, pattern, fine=fine)}–{_time(end, '%H:%M:%S' if short else pattern, fine=fine)}"
    return _text(value)


def _time(moment: datetime, pattern: str, *, fine: bool) -> str:
    return f"{moment:{pattern}}" + (f".{moment.microsecond // 1000:03d}" if fine else "")


def _text(value: Any) -> str:
    if value is None:
        return NULL
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, timedelta):
        return duration(value // timedelta(microseconds=1))
    if isinstance(value, bytes | bytearray):
        return _bytes(bytes(value))
    if hasattr(value, "asDict"):
        value = value.asDict()
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_text(key)}: {_inner(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_inner(inner) for inner in value) + "]"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in str(value))


def _inner(value: Any) -> str:
    return _cell(value, "%Y-%m-%d %H:%M:%S", fine=False)


def _number(value: float) -> str:
    """Six significant digits, and no exponent where a plain number says the same.

    >>> [_number(n) for n in (0.1 + 0.2, 1234567.8, 1e20)]
    ['0.3', '1234568', '1e+20']
    """
    return f"{value:.0f}" if 1e6 <= abs(value) < 1e15 else f"{value:.6g}"


def _bytes(value: bytes) -> str:
    try:
        return _text(value.decode("utf-8"))
    except UnicodeDecodeError:
        return "0x" + value.hex()
