"""A sink: where rows go, described and not opened."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from headrace.model.delivery import Delivery, Guarantee
from headrace.model.modes import Mode, Output
from headrace.settings import Project

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Writing:
    """How Spark's own stream writer writes it: a format with options."""

    format: str
    options: Mapping[str, str] = field(default_factory=dict)
    partition_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """Rows for a person to look at: column names, values, and which columns tell rows apart."""

    name: str
    columns: list[str]
    keys: list[str]
    rows: list[dict[str, Any]]
    output: Output
    more: int = 0


@dataclass(frozen=True)
class Batch:
    """One batch as a sink is handed it."""

    frame: DataFrame
    number: int
    name: str
    output: Output
    keys: tuple[str, ...]
    project: Project
    streaming: bool = True
    write_files: Callable[[DataFrame, int, Writing], None] = field(
        default=lambda _frame, _number, _writing: None
    )
    show: Callable[[Table], None] = field(default=lambda _table: None)


def rows_of(frame: DataFrame) -> list[dict[str, Any]]:
    """A frame's rows as Python's own values; times carry their zone, which is UTC.

    Python's calendar ends with the year 9999 and Spark's does not: a column with later times becomes text.
    """
    table = frame.toArrow()
    columns = {name: _values(table.column(name)) for name in table.column_names}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _values(column: Any) -> list[Any]:
    try:
        return list(column.to_pylist())
    except (OverflowError, ValueError):
        return list(column.cast("string").to_pylist())


class Sink(ABC):
    """A place that rows go to; a `native` one is written by Spark's own stream writer, as `writing` says.

    One that `retracts` takes rows that take others back: `op` is understood there, or travels along.
    """

    outputs: frozenset[Output] = frozenset(Output)
    native: bool = False
    retracts: bool = False

    @property
    @abstractmethod
    def address(self) -> str:
        """What it is called by in tests and messages: a topic, a path, a name."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The sink in a few words, for `explain`."""

    @abstractmethod
    def write(self, batch: Batch) -> int | None:
        """Write one batch, and tell how many rows, if known; the number may come again after a failure."""

    def writing(self, project: Project) -> Writing:
        """How Spark's own writer writes it, if it is native."""
        raise NotImplementedError(f"{self.text} has no writer of Spark's own")

    def encode(self, frame: DataFrame) -> DataFrame:
        """The rows in the shape that `writing` and `write` take."""
        return frame

    def together(self, others: Sequence[Sink]) -> str | None:
        """Why one writer of Spark's cannot feed this sink and the others, if it cannot."""
        return "Spark's real-time mode feeds one sink a query"

    def writing_together(self, project: Project) -> Writing:
        """How Spark's writer feeds all of those that it can feed together; each row says where it goes."""
        raise NotImplementedError(f"{self.text} is written alone")

    def addressed(self, frame: DataFrame) -> DataFrame:
        """The rows in the shape that `writing_together` takes."""
        raise NotImplementedError(f"{self.text} is written alone")

    def guarantee(self, mode: Mode) -> Guarantee:
        return Guarantee(Delivery.AT_LEAST_ONCE, f"{self.text} may see a batch twice after a failure")

    def refuses(self, mode: Mode, output: Output) -> str | None:
        """Why it cannot be written so, if it cannot."""
        if mode is Mode.REAL_TIME and self.writing_in_real_time is None:
            return "Spark's real-time mode writes to Kafka and the console alone"
        if output not in self.outputs:
            allowed = ", ".join(sorted(self.outputs))
            return f"{self.text} takes {allowed}, not {output}"
        return None

    @property
    def writing_in_real_time(self) -> str | None:
        """The format that real-time mode writes it with, where it can."""
        return None

    def ready(self, project: Project) -> None:
        """Raise what would keep it from being written."""

    def brokers(self, project: Project) -> str | None:
        """The servers (host:port, …) that it needs while it runs, if any."""
        return None
