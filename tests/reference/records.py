"""What goes into the model and what comes out: events, panes and late rows. Times are whole numbers."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Row:
    """A row of a source partition; `time` is its event time, `arrived` its ingestion time.

    `value` is what is aggregated, and what a delta window looks at; `gap` is a session's, where rows bring
    their own; `holds` says of each predicate of the trigger, by its number, whether it holds for the row.
    """

    partition: int
    time: int
    key: Hashable = None
    value: int | None = 0
    arrived: int | None = None
    gap: int | None = None
    begin: bool = False
    end: bool = False
    holds: tuple[bool, ...] = ()


@dataclass(frozen=True)
class Tick:
    """The operator's clock says `now`; `away`: it did not run since the tick before."""

    now: int
    away: bool = False


@dataclass(frozen=True)
class Mark:
    """A source partition's watermark has come to this, without a row; None: it will speak."""

    partition: int
    watermark: int | None


@dataclass(frozen=True)
class Drain:
    """The end of all input."""


Event = Row | Tick | Mark | Drain


@dataclass(frozen=True)
class Pane:
    """A row of the result; `window` is None for all time. An aggregate over no rows is None, a count 0.

    `ident` numbers the windows, as several can look the same from outside: trailing windows of two rows with
    one time, count windows while they grow. It is no column, and no part of what makes panes equal.
    """

    key: Hashable
    window: tuple[int, int] | None
    op: str
    timing: str
    index: int
    final: bool
    n: int
    s: int | None
    lo: int | None
    hi: int | None
    values: tuple[int, ...]
    ident: int = field(default=-1, compare=False)


@dataclass(frozen=True)
class Late:
    """A late row, the window that it is late for, and its partition's watermark before it."""

    row: Row
    window: tuple[int, int] | None
    mark: int | None


def aggregated(rows: list[Row]) -> dict[str, object]:
    """The aggregates of a pane: as SQL, they leave nulls out, and `n` counts rows."""
    values = [row.value for row in rows if row.value is not None]
    return {
        "n": len(rows),
        "s": sum(values) if values else None,
        "lo": min(values) if values else None,
        "hi": max(values) if values else None,
        "values": tuple(values),
    }
