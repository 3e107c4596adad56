"""The script of the model of `process()` as a user of Headrace would write it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from reference.process import NAMES

BASE = datetime(2026, 1, 1, tzinfo=UTC)
STATE = "n long"
SCHEMA = "id string, what string, name string, at long, n long, yes boolean"
Told = tuple[Any, ...]


def second(at: int) -> datetime:
    """A time of the model as a moment."""
    return BASE + timedelta(seconds=at)


def on_row(row: Any, state: Any, timers: Any) -> Iterator[Told]:
    state.n = (state.n or 0) + 1
    yield row.id, "row", "", row.v, state.n, timers.late
    deed, number = divmod(row.v, 10)
    name = NAMES[number % 3]
    if deed == 1:
        timers.event(row.t + timedelta(seconds=5 * number), name=name)
    elif deed == 2:
        timers.processing(timedelta(seconds=5 * number + 1), name=name)
    elif deed == 3:
        timers.cancel(name)
    elif deed == 4:
        timers.forget()


def on_timer(timer: Any, state: Any, timers: Any) -> Iterator[Told]:
    n = state.n or 0
    at = int((timer.time - BASE).total_seconds()) if timer.event else 0
    yield timer.key.id, "timer", timer.name, at, n, timer.event
    if n % 3 == 0 and timer.event:
        timers.event(timer.time + timedelta(seconds=7), name=timer.name)
    elif n % 3 == 0:
        timers.processing("7 seconds", name=timer.name)


def by_key(rows: list[Told]) -> dict[Any, list[Told]]:
    """What was told of each key, in its order."""
    found: dict[Any, list[Told]] = {}
    for key, *told in rows:
        found.setdefault(key, []).append(tuple(told))
    return found
