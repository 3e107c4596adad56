"""A running job as plain lines, for a pipe or a file of logs."""

from __future__ import annotations

import sys
import threading
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TextIO

from headrace.connect.sink import Table
from headrace.runtime.progress import JobProgress, QueryProgress, State
from headrace.terminal import figures
from headrace.terminal.block import ENDED
from headrace.terminal.board import Board
from headrace.terminal.pipe import Pipe
from headrace.terminal.tables import aligned
from headrace.time import SYSTEM_CLOCK, Clock

EVERY = 10.0


@dataclass(frozen=True)
class _Told:
    at: float
    query: QueryProgress


class LineView:
    """Says of each query, every ten seconds at most, how it fares; shows the rows that are new."""

    def __init__(
        self, stream: TextIO | None = None, *, every: float = EVERY, clock: Clock = SYSTEM_CLOCK
    ) -> None:
        self._pipe = Pipe(stream or sys.stdout)
        self._every = every
        self._clock = clock
        self._board = Board()
        self._told: dict[str, _Told] = {}
        self._last: JobProgress | None = None
        self._lock = threading.Lock()

    def update(self, progress: JobProgress) -> None:
        with self._lock:
            self._last = progress
            self._tell([query for query in progress.queries if self._due(query)], progress.at)

    def show(self, table: Table) -> None:
        with self._lock:
            rows = self._board.fold(table)
        if not rows:
            return
        of = f" of {len(rows) + table.more}" if table.more else ""
        head = f"{table.name} ({table.output}, {len(rows)}{of} row{'' if len(rows) == 1 and not of else 's'})"
        lines = aligned(table.columns, rows, self._clock.now().date())
        self._pipe.write([head, *(f"  {line}" for line in lines)])

    def say(self, text: str) -> None:
        self._pipe.write(text.splitlines() or [""])

    def close(self) -> None:
        """Tell what has changed since it was last told."""
        with self._lock:
            if self._last is not None:
                self._tell([query for query in self._last.queries if self._news(query)], self._last.at)
                self._last = None

    def _due(self, query: QueryProgress) -> bool:
        """A first batch and a change of state are told at once, anything else when it is time."""
        told = self._told.get(query.name)
        if told is None:
            return query.batch is not None or query.state is not State.STARTING
        if told.query.state is not query.state or (told.query.batch is None and query.batch is not None):
            return True
        return self._news(query) and self._clock.monotonic() - told.at >= self._every

    def _news(self, query: QueryProgress) -> bool:
        told = self._told.get(query.name)
        return told is None or told.query != query

    def _tell(self, queries: list[QueryProgress], at: datetime) -> None:
        for query in queries:
            self._told[query.name] = _Told(self._clock.monotonic(), replace(query))
        self._pipe.write([f"{at:%H:%M:%S} {line(query, at)}" for query in queries])


def line(query: QueryProgress, now: datetime) -> str:
    """One query in one line.

    >>> from datetime import UTC
    >>> line(QueryProgress("counts", State.RUNNING, batch=12, rows_in_per_second=3100), datetime.now(UTC))
    'counts: batch 12, 3.1k rows/s in'
    """
    rates = query.batch is not None and query.state not in ENDED
    out = query.rows_out_per_second
    parts = [
        None if query.state is State.RUNNING else str(query.state),
        f"{figures.count(query.rows_in)} rows in"
        if query.state in ENDED and query.batch is not None
        else None,
        None if query.batch is None else f"batch {query.batch}",
        f"{figures.count(query.rows_in_per_second)} rows/s in" if rates else None,
        f"{figures.count(out)} rows/s out" if rates and out is not None else None,
        None if query.batch_ms is None else figures.millis(query.batch_ms),
        None if query.watermark is None else f"watermark {figures.watermark(query.watermark, now)}",
        None if query.lag is None else f"lag {figures.count(query.lag)}",
        None if query.state_rows is None else f"state {figures.count(query.state_rows)}",
        f"{figures.count(query.rejected)} rejected" if query.rejected else None,
        f"{figures.count(query.late)} late" if query.late else None,
        " ".join(query.message.split()),
    ]
    return f"{query.name}: " + (", ".join(part for part in parts if part) or "running")
