"""A source that makes rows by the clock, for trying out and for load."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.connect.source import Reading, Source
from headrace.errors import InvalidOption
from headrace.model.modes import Mode
from headrace.settings import Project


@dataclass(frozen=True)
class Rate(Source):
    rows_per_second: int
    partitions: int

    @property
    def address(self) -> str:
        return "rate"

    @property
    def text(self) -> str:
        return f"{self.rows_per_second} rows a second"

    def refuses(self, mode: Mode) -> str | None:
        if mode.ends:
            return f"the rate source has no end, so it cannot be read in {mode}"
        return super().refuses(mode)

    def reading(self, mode: Mode, project: Project) -> Reading:
        options = {"rowsPerSecond": str(self.rows_per_second), "numPartitions": str(self.partitions)}
        return Reading("rate", options)


def rate(rows_per_second: int = 1, *, partitions: int = 1) -> Rate:
    """Rows of (timestamp, value), `value` counting up from 0.

    >>> rate(10).text
    '10 rows a second'
    """
    if rows_per_second < 1 or partitions < 1:
        raise InvalidOption(
            f"rate({rows_per_second}, partitions={partitions}) makes no rows", hint="use numbers from 1 up"
        )
    return Rate(rows_per_second, partitions)
