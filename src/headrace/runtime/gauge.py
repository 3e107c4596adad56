"""A query's progress, added up from what Spark tells of each batch."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from headrace.runtime.progress import QueryProgress, State
from headrace.time import instant


@dataclass
class Gauge:
    """Takes batch reports in order, and gives the present picture."""

    name: str
    state: State = State.STARTING
    message: str = ""
    seen: str = ""
    rows_in: int = 0
    rows_out: int | None = None
    rejected: dict[str, int] = field(default_factory=dict)
    last: dict[str, Any] = field(default_factory=dict)

    def take(self, report: dict[str, Any]) -> None:
        """Add one report of Spark's."""
        self.seen = report["timestamp"]
        self.rows_in += report.get("numInputRows") or 0
        out = rows_out(report)
        if out is not None:
            self.rows_out = (self.rows_out or 0) + out
        for name, values in (report.get("observedMetrics") or {}).items():
            if name.startswith("rejected:"):
                self.rejected[name] = self.rejected.get(name, 0) + int(values["rejected"])
        if report.get("numInputRows") or "addBatch" in report.get("durationMs", {}) or not self.last:
            self.last = report
        else:
            self.last = {**self.last, "sources": report.get("sources", []), "eventTime": report.get("eventTime", {})}
            self.last |= {"inputRowsPerSecond": 0.0, "quiet": True}

    def picture(self) -> QueryProgress:
        """The query as it stands."""
        report = self.last
        duration = report.get("durationMs", {}).get("triggerExecution")
        quiet = bool(report.get("quiet"))
        out = rows_out(report)
        return QueryProgress(
            name=self.name,
            state=self.state,
            message=self.message,
            batch=report.get("batchId"),
            batch_ms=duration,
            rows_in=self.rows_in,
            rows_in_per_second=0.0 if quiet else _number(report.get("processedRowsPerSecond")),
            rows_out=self.rows_out,
            rows_out_per_second=None if out is None else 0.0 if quiet or not duration else out * 1000 / duration,
            watermark=_watermark(report),
            lag=_lag(report),
            state_rows=_state_rows(report),
            rejected=sum(self.rejected.values()) if self.rejected else None,
        )


def rows_out(report: dict[str, Any]) -> int | None:
    """Rows that a batch wrote: as we counted, or as the sink did."""
    for name, values in (report.get("observedMetrics") or {}).items():
        if name.startswith("out:"):
            return int(values["rows"])
    written = (report.get("sink") or {}).get("numOutputRows", -1)
    return int(written) if written is not None and written >= 0 else None


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


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and value == value else 0.0
