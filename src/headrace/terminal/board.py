"""The tables that console sinks show, folded batch by batch into what stands on the screen."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from headrace.connect.sink import Table
from headrace.model.modes import Output
from headrace.terminal.cells import bounds

KEPT = 20
HELD = 2_000

Row = dict[str, Any]


@dataclass(frozen=True)
class Page:
    """The rows of a sheet that fit, and how many stand above and below them."""

    rows: tuple[Row, ...]
    above: int = 0
    below: int = 0


@dataclass
class Sheet:
    """One table as it stands."""

    name: str
    columns: list[str]
    keys: list[str]
    output: Output
    rows: list[Row] = field(default_factory=list)
    more: int = 0
    _places: dict[Hashable, Row] = field(default_factory=dict)

    def fold(self, table: Table) -> list[Row]:
        """Take a batch in, and return the rows of it that are new or changed."""
        self.columns, self.keys, self.output = list(table.columns), list(table.keys), table.output
        if table.output is Output.COMPLETE:
            return self._replace(table)
        if table.output is Output.UPDATE and self.keys:
            return self._upsert(table)
        return self._append(table)

    def page(self, room: int) -> Page:
        """At most `room` rows: the newest where rows have an order in time, else the first."""
        cut = max(len(self.rows) - room, 0)
        if self._in_time:
            more = self.more if self.output is Output.APPEND or not self.keys else 0
            return Page(tuple(self.rows[cut:]), cut + more, self.more - more)
        return Page(tuple(self.rows[: len(self.rows) - cut]), 0, cut + self.more)

    @property
    def _in_time(self) -> bool:
        if self.output is Output.COMPLETE:
            return False
        if self.output is Output.APPEND or not self.keys:
            return True
        return any(_is_time(row.get(key)) for row in self.rows[:1] for key in self.keys)

    def _append(self, table: Table) -> list[Row]:
        kept = max(KEPT, len(table.rows))
        rows = self.rows + table.rows
        self.more += table.more + max(len(rows) - kept, 0)
        self.rows = rows[-kept:]
        return list(table.rows)

    def _replace(self, table: Table) -> list[Row]:
        before = [_frozen(row) for row in self.rows]
        self.rows, self.more = list(table.rows), table.more
        return [row for row in table.rows if _frozen(row) not in before]

    def _upsert(self, table: Table) -> list[Row]:
        changed: dict[Hashable, Row] = {}
        for row in table.rows:
            key = _frozen([row.get(name) for name in self.keys])
            if row.get("op") in ("-U", "-D"):
                self._places.pop(key, None)
                changed[key] = row
            elif self._places.get(key) != row:
                self._places.pop(key, None)
                self._places[key] = changed[key] = row
        for oldest in list(self._places)[: max(len(self._places) - HELD, 0)]:
            del self._places[oldest]
        self.rows = sorted(self._places.values(), key=self._rank)
        self.more = table.more
        return sorted(changed.values(), key=self._rank)

    def _rank(self, row: Row) -> list[Any]:
        values = [row.get(name) for name in self.keys]
        return [_rank(value) for value in sorted(values, key=lambda value: bounds(value) is None)]


@dataclass
class Board:
    """All tables of a job, by name, in the order in which they first came."""

    sheets: dict[str, Sheet] = field(default_factory=dict)

    def fold(self, table: Table) -> list[Row]:
        """Take a batch of one table in, and return its new or changed rows."""
        if table.name not in self.sheets:
            self.sheets[table.name] = Sheet(table.name, table.columns, table.keys, table.output)
        return self.sheets[table.name].fold(table)


def _is_time(value: Any) -> bool:
    return isinstance(value, datetime) or bounds(value) is not None


def _rank(value: Any) -> tuple[int, str, Any]:
    """What sorts values of one kind by size, kinds apart, and nulls first."""
    if value is None:
        return 0, "", 0
    if isinstance(value, bool | int | float):
        return 1, "", value
    if window := bounds(value):
        return 2, str([moment.tzinfo is None for moment in window]), window
    if isinstance(value, datetime):
        return 2, str(value.tzinfo is None), value
    return 3, type(value).__name__, value if isinstance(value, str) else str(value)


def _frozen(value: Any) -> Hashable:
    """A value that can be looked up by, of one that perhaps cannot."""
    if hasattr(value, "asDict"):
        value = value.asDict()
    if isinstance(value, dict):
        return tuple((key, _frozen(inner)) for key, inner in value.items())
    if isinstance(value, list | tuple):
        return tuple(_frozen(inner) for inner in value)
    return value if isinstance(value, Hashable) else repr(value)
