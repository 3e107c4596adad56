"""What a running job tells of itself, and who it tells."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from headrace.connect.sink import Table


class State(StrEnum):
    """Where a query stands."""

    STARTING = "starting"
    RUNNING = "running"
    WAITING = "waiting"
    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class QueryProgress:
    """One query, at one moment; what Spark does not count is None.

    `late` counts what the kernel's windows found too late, kept or dropped, once for each window; and what
    Spark's windows dropped: there rows of one key, window and task in one batch count together once.
    """

    name: str
    state: State
    message: str = ""
    batch: int | None = None
    batch_ms: float | None = None
    rows_in: int = 0
    rows_in_per_second: float = 0.0
    rows_out: int | None = None
    rows_out_per_second: float | None = None
    watermark: datetime | None = None
    lag: int | None = None
    state_rows: int | None = None
    rejected: int | None = None
    late: int | None = None


@dataclass(frozen=True, slots=True)
class JobProgress:
    """All queries of a job, at one moment."""

    job: str
    mode: str
    at: datetime
    seconds: float
    queries: tuple[QueryProgress, ...]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class View(Protocol):
    """Whoever shows a running job to a person."""

    def update(self, progress: JobProgress) -> None: ...

    def show(self, table: Table) -> None: ...

    def say(self, text: str) -> None: ...

    def close(self) -> None: ...


class Silent:
    """A view that shows nothing."""

    def update(self, progress: JobProgress) -> None: ...

    def show(self, table: Table) -> None: ...

    def say(self, text: str) -> None: ...

    def close(self) -> None: ...
