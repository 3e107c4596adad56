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

    @property
    def address(self) -> str:
        return self.title or "console"

    @property
    def text(self) -> str:
        return "console"

    def write(self, batch: Batch) -> None:
        found = rows_of(batch.frame.limit(self.rows + 1))
        if not found and batch.output != "complete":
            return
        more = batch.frame.count() - self.rows if len(found) > self.rows else 0
        keys = [name for name in batch.keys if name in batch.frame.columns]
        batch.show(Table(self.title or batch.name, batch.frame.columns, keys, found[: self.rows], batch.output, more))

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
