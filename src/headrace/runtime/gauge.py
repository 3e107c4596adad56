"""A query's progress, added up from what Spark tells of each batch."""

from __future__ import annotations

import contextlib
from collections import deque
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from headrace.runtime.progress import QueryProgress, State
from headrace.time import from_epoch_micros, instant

SPAN = 5.0
"""Seconds that a rate is taken over."""


@dataclass
class Gauge:
    """Takes batch reports in order, and gives the present picture; the caller tells the time, in seconds."""

    name: str
    state: State = State.STARTING
    message: str = ""
    seen: str = ""
    rows_in: int = 0
    rows_out: int | None = None
    rejected: int | None = None
    late: int | None = None
    _kernel: list[dict[str, Any]] = field(default_factory=list)
    _batch: dict[str, Any] = field(default_factory=dict)
    _latest: dict[str, Any] = field(default_factory=dict)
    _marks: deque[tuple[float, int, int]] = field(default_factory=deque)

    def take(self, report: dict[str, Any]) -> None:
        """Add one report of Spark's."""
        self.seen = report["timestamp"]
        self.rows_in += report.get("numInputRows") or 0
        for operator in report.get("stateOperators") or []:
            self.late = (self.late or 0) + operator.get("numRowsDroppedByWatermark", 0)
        self._latest = report
        if "addBatch" in report.get("durationMs", {}):
            self._batch = report

    def count(self, counts: dict[str, int]) -> None:
        """Take what the query's own counters stand at: rows rejected, by source, and out, by output."""
        rejected = [value for name, value in counts.items() if name.startswith("rejected:")]
        out = [value for name, value in counts.items() if name.startswith("out:")]
        self.rejected = sum(rejected) if rejected else None
        self.rows_out = sum(out) if out else None

    def kept(self, operators: list[dict[str, Any]]) -> None:
        """Take how the kernel's operators stand: their keys, their late rows, their watermarks."""
        self._kernel = operators

    def picture(self, now: float) -> QueryProgress:
        """The query as it stands at `now`."""
        per_second = self._rates(now)
        return QueryProgress(
            name=self.name,
            state=self.state,
            message=self.message,
            batch=self._batch.get("batchId"),
            batch_ms=self._batch.get("durationMs", {}).get("triggerExecution"),
            rows_in=self.rows_in,
            rows_in_per_second=per_second[0],
            rows_out=self.rows_out,
            rows_out_per_second=None if self.rows_out is None else per_second[1],
            watermark=self._watermark,
            lag=_lag(self._latest),
            state_rows=self._state_rows,
            rejected=self.rejected,
            late=self._late,
        )

    @property
    def _watermark(self) -> datetime | None:
        """The first operator's: those behind it follow; of Spark's own, where it has one."""
        for operator in self._kernel:
            if "watermark" in operator:
                return from_epoch_micros(operator["watermark"])
        return _watermark(self._latest)

    @property
    def _state_rows(self) -> int | None:
        keys = [operator["keys"] for operator in self._kernel]
        spark = _state_rows(self._batch)
        return sum(keys) + (spark or 0) if keys else spark

    @property
    def _late(self) -> int | None:
        late = [operator["late"] for operator in self._kernel]
        return sum(late) + (self.late or 0) if late else self.late

    def _rates(self, now: float) -> tuple[float, float]:
        """Rows in and out a second, over the last SPAN seconds."""
        self._marks.append((now, self.rows_in, self.rows_out or 0))
        while len(self._marks) > 2 and self._marks[1][0] <= now - SPAN:
            self._marks.popleft()
        then, rows_in, out = self._marks[0]
        passed = now - then
        return (
            ((self.rows_in - rows_in) / passed, ((self.rows_out or 0) - out) / passed)
            if passed > 0
            else (0.0, 0.0)
        )


def _watermark(report: dict[str, Any]) -> datetime | None:
    text = (report.get("eventTime") or {}).get("watermark")
    moment = instant(text.replace("Z", "+00:00")) if text else None
    return None if moment is None or moment.year <= 1970 else moment


def _lag(report: dict[str, Any]) -> int | None:
    """Rows that lie in the sources and are still to be read, where a source tells."""
    total: int | None = None
    for source in report.get("sources", []):
        behind = (source.get("metrics") or {}).get("totalOffsetsBehindLatest") or _behind(source)
        if behind is not None:
            total = (total or 0) + int(behind)
    return total


def _behind(source: dict[str, Any]) -> int | None:
    latest, end = source.get("latestOffset"), source.get("endOffset")
    if not isinstance(latest, dict) or not isinstance(end, dict):
        return None
    behind = 0
    with contextlib.suppress(AttributeError, TypeError):
        for topic, partitions in latest.items():
            behind += sum(max(0, at - end.get(topic, {}).get(part, at)) for part, at in partitions.items())
    return behind


def _state_rows(report: dict[str, Any]) -> int | None:
    operators = report.get("stateOperators") or []
    return sum(operator.get("numRowsTotal", 0) for operator in operators) if operators else None
