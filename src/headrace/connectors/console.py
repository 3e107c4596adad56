"""The console: the result as a live table where there is a terminal, as plain lines where there is none."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.connect.sink import Batch, Sink, Table, rows_of
from headrace.model.delivery import Delivery, Guarantee
from headrace.model.modes import Mode


@dataclass(frozen=True)
class Console(Sink):
    rows: int
    title: str | None

    retracts = True

    @property
    def address(self) -> str:
        return self.title or "console"

    @property
    def text(self) -> str:
        return "console"

    def write(self, batch: Batch) -> int:
        found = rows_of(batch.frame.limit(self.rows + 1))
        if not found and batch.output != "complete":
            return 0
        total = batch.frame.count() if len(found) > self.rows else len(found)
        keys = [name for name in batch.keys if name in batch.frame.columns]
        batch.show(
            Table(
                name=self.title or batch.name,
                columns=batch.frame.columns,
                keys=keys,
                rows=found[: self.rows],
                output=batch.output,
                more=max(0, total - self.rows),
            )
        )
        return total

    @property
    def writing_in_real_time(self) -> str | None:
        return "console"

    def guarantee(self, mode: Mode) -> Guarantee:
        return Guarantee(Delivery.AT_LEAST_ONCE, "the console may show a batch twice after a failure")


def console(*, rows: int = 20, title: str | None = None) -> Console:
    """Show the result while the job runs, at most `rows` rows of it.

    >>> console().text
    'console'
    """
    return Console(rows, title)
