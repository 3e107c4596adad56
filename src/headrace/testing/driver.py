"""The driver: feeds a job's sources, holds its clock, and reads what reached its sinks."""

from __future__ import annotations

import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from headrace.app import App
from headrace.connect.sink import Batch, Sink, rows_of
from headrace.errors import HeadraceError, InvalidOption, Unsupported, did_you_mean
from headrace.model.delivery import Delivery, Guarantee
from headrace.model.modes import Mode, Output
from headrace.plan.nodes import Job, Late, Read, Rejected, Write, all_nodes
from headrace.plan.panes import panes_behind
from headrace.planner.physical import plan
from headrace.runtime.checkpoint import safe
from headrace.runtime.run import resolve
from headrace.spark.compile import Compiler, Setting
from headrace.spark.engine import LOG, jvm, kernel, log_folder
from headrace.spark.failure import failed
from headrace.spark.package import travel
from headrace.spark.queries import Feeder, keys_of, setting_of, spark_output, state_teller
from headrace.spark.session import session
from headrace.testing.inputs import Given, Input
from headrace.time import Duration, Instant, instant, micros

if TYPE_CHECKING:
    from pyspark.sql.streaming import StreamingQuery

    from headrace.planner.divide import Query

END_OF_TIME = "9999-01-01T00:00:00"
REJECTED = "rejected:"
LATE = "late:"


@dataclass(frozen=True)
class At:
    """A row of one partition of a source, among rows of others."""

    partition: int
    row: Given


class Captured(Sink):
    """A sink that keeps what it is handed, batch by batch."""

    def __init__(self, real: Sink) -> None:
        self.outputs = real.outputs
        self.real = real
        self.batches: dict[int, list[dict[str, Any]]] = {}
        self.read_to = 0

    @property
    def address(self) -> str:
        return self.real.address

    @property
    def text(self) -> str:
        return self.real.text

    def write(self, batch: Batch) -> None:
        self.batches[batch.number] = rows_of(batch.frame)

    def guarantee(self, mode: Mode) -> Guarantee:
        return Guarantee(Delivery.EXACTLY_ONCE, "a test")

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [row for number in sorted(self.batches) for row in self.batches[number]]

    def new(self) -> list[dict[str, Any]]:
        """The rows since the last look."""
        rows = self.rows
        fresh, self.read_to = rows[self.read_to :], len(rows)
        return fresh


class TestDriver:
    """Runs an app as real Spark queries on sources and sinks in memory, with a clock that stands still.

    Each call returns when all that it caused has been written. Sources and sinks go by their topic, path or
    given name.
    """

    __test__ = False

    def __init__(
        self,
        app: App,
        *,
        start: Instant = "2026-01-01T00:00:00",
        one_row_a_batch: bool = False,
        partitions: Mapping[str, int] | None = None,
    ) -> None:
        """`partitions` says how many partitions a source has, where it is more than one (by its name)."""
        self.app = app
        self._partitions = defaultdict(lambda: 1, partitions or {})
        self._one_row = one_row_a_batch
        self._now = instant(start, "start")
        self._folder = Path(tempfile.mkdtemp(prefix="headrace-test-"))
        self._spark = session(app.name, app.project, master=app.master, conf=app.conf)
        travel(app.project, app.job)
        self._clock = jvm().org.apache.spark.util.ManualClock(self._millis())
        self._sinks: dict[str, Captured] = {}
        self._job = self._captured(app.job)
        self._inputs = {
            node.name: Input(node, self._spark, app.project)
            for node in all_nodes(self._job)
            if isinstance(node, Read)
        }
        self._failures: dict[str, HeadraceError] = {}
        self._drained = False
        self._handles: list[tuple[Query, StreamingQuery]] = []
        self._start()

    # Feeding.

    def feed(self, source: str, rows: Iterable[Given] | Given, *, partition: int = 0) -> None:
        """Give a source rows: dicts, or text or bytes as they come off the wire. One call is one batch."""
        given = [rows] if isinstance(rows, dict | str | bytes | At) else list(rows)
        placed = [(row.partition, row.row) if isinstance(row, At) else (partition, row) for row in given]
        at = self._input(source)
        for piece in [[row] for row in placed] if self._one_row else [placed]:
            self._known(source, {place for place, _row in piece})
            at.feed(piece, self._now)
            self._settle()

    def advance_watermark(self, source: str, moment: Instant, *, partition: int | None = None) -> None:
        """Move the source's watermark to this moment of event time, as if rows had come and been left out.

        It is moved in all of its partitions, or in the one that is named.
        """
        at = self._input(source)
        if at.read.event_time is None:
            raise InvalidOption(f"'{source}' has no event time", hint="read it with event_time='…'")
        self._known(source, set() if partition is None else {partition})
        where = range(self._partitions[source]) if partition is None else [partition]
        at.mark(instant(moment) + timedelta(microseconds=at.read.delay), where)
        self._settle()

    def advance_time(self, length: Duration) -> None:
        """Let processing time pass."""
        self._now += timedelta(microseconds=micros(length, "length"))
        self._clock.setTime(self._millis())
        for at in self._inputs.values():
            at.tick()
        self._settle()

    def drain(self) -> None:
        """The end of all input: every window closes."""
        for name, at in self._inputs.items():
            at.mark(instant(END_OF_TIME), range(self._partitions[name]))
        self._settle()
        self._drained = True

    def restart(self) -> None:
        """Stop all queries, and start them again from their checkpoints."""
        self._stop()
        self._start()

    # Reading.

    def read(self, sink: str) -> list[dict[str, Any]]:
        """What reached a sink since the last read, as dicts in order."""
        return self._sink(sink).new()

    def read_rejected(self, source: str) -> list[dict[str, Any]]:
        """The source's rejected rows since the last read, with their reason."""
        self._input(source)
        return self._sinks[REJECTED + source].new()

    def read_late(self, sink: str) -> list[dict[str, Any]]:
        """The late rows of the windows behind a sink since the last read, written by the job or not."""
        self._sink(sink)
        if LATE + sink not in self._sinks:
            raise Unsupported(
                f"'{sink}' keeps no late rows: no window lies behind it that keeps them",
                hint="leave late='drop' out, and late rows are a stream",
            )
        return self._sinks[LATE + sink].new()

    def table(self, sink: str) -> list[dict[str, Any]]:
        """All that reached a sink, folded to its present rows: the last one of each key and window."""
        captured = self._sink(sink)
        write = next(write for write in self._job.writes if write.sink is captured)
        if write.output is Output.COMPLETE:
            return captured.batches[max(captured.batches)] if captured.batches else []
        keys = keys_of(write)
        if not keys or write.output is Output.APPEND:
            return captured.rows
        latest = {repr([row.get(key) for key in keys]): row for row in captured.rows}
        return list(latest.values())

    # A test is a block.

    def __enter__(self) -> TestDriver:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop everything, and leave nothing behind."""
        self._stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    # Inside.

    def _captured(self, job: Job) -> Job:
        """The same job with its sinks replaced, and the rejected rows of each source kept."""
        copy = Job(job.name, list(job.reads))
        for write in job.writes:
            sink = self._sinks[write.name] = Captured(write.sink)
            copy.writes.append(replace(write, sink=sink))
            windows = next(panes_behind(write.input), None)
            if windows is not None and windows.late is None:
                sink = self._sinks[LATE + write.name] = Captured(_ANY)
                late = Late(input=windows, origin=windows.origin)
                copy.writes.append(replace(write, input=late, sink=sink, name=LATE + write.name))
        for node in all_nodes(job):
            if isinstance(node, Read):
                sink = self._sinks[REJECTED + node.name] = Captured(_ANY)
                rejected = Rejected(read=node, origin=node.origin)
                copy.writes.append(
                    Write(input=rejected, sink=sink, name=REJECTED + node.name, output=Output.APPEND)
                )
        return copy

    def _start(self) -> None:
        compiler = Compiler(
            self._spark,
            self.app.project,
            Mode.MICRO_BATCH,
            inputs=lambda node: self._inputs[node.name].frame,
            setting=Setting(partitions=lambda node: self._partitions[node.name]),
        )
        physical = plan(self._job, Mode.MICRO_BATCH, state_teller(compiler))
        resolve(compiler, self._job)
        self._handles = [(query, self._start_one(query, compiler)) for query in physical.queries]

    def _start_one(self, query: Query, compiler: Compiler) -> StreamingQuery:
        from pyspark.sql.streaming import StreamingQuery
        from pyspark.sql.utils import ForeachBatchFunction

        folder = str(self._folder / safe(query.name))
        compiler = compiler.again(setting_of(query, compiler.setting, folder))
        feeder = Feeder(query, compiler, lambda _table: None, self._failures)
        function = ForeachBatchFunction(self._spark, feeder)
        _ensure_callbacks()
        frame = compiler.frame(query.cut)
        called = f"{query.name} of {self._folder.name}"  # another driver may run a query of the same name
        started = kernel().Queries.startHeld(
            frame._jdf, called, folder, str(spark_output(query)), self._clock, function
        )
        return StreamingQuery(started)

    def _settle(self) -> None:
        """Wait until every query has taken all that it was given."""
        for query, handle in self._handles:
            try:
                handle.processAllAvailable()
            except Exception as error:
                known = self._failures.get(query.name)
                log = str(log_folder(self.app.project) / LOG)
                raise known or failed(query.name, str(error), query.writes[0].origin, log) from None

    def _stop(self) -> None:
        for _query, handle in self._handles:
            handle.stop()
        self._handles = []

    def _known(self, source: str, partitions: set[int]) -> None:
        """A partition that is spoken of is there; one that was not announced is as one that appears later."""
        self._partitions[source] = max(
            self._partitions[source], *(partition + 1 for partition in partitions), 1
        )

    def _input(self, source: str) -> Input:
        if source not in self._inputs:
            raise InvalidOption(f"no source '{source}'", hint=did_you_mean(source, self._inputs, "sources"))
        if self._drained:
            raise InvalidOption(
                "the driver has been drained", hint="feed before drain(), or take a new driver"
            )
        return self._inputs[source]

    def _sink(self, sink: str) -> Captured:
        if sink not in self._sinks:
            known = [name for name in self._sinks if not name.startswith((REJECTED, LATE))]
            raise InvalidOption(f"no sink '{sink}'", hint=did_you_mean(sink, known, "sinks"))
        return self._sinks[sink]

    def _millis(self) -> int:
        return int(self._now.timestamp() * 1000)


def _ensure_callbacks() -> None:
    """Let the JVM call Python, as Spark does for its own foreachBatch."""
    from pyspark import SparkContext
    from pyspark.java_gateway import ensure_callback_server_started

    ensure_callback_server_started(SparkContext._gateway)


class _Any(Sink):
    @property
    def address(self) -> str:
        return "rejected"

    @property
    def text(self) -> str:
        return "rejected rows"

    def write(self, batch: Batch) -> None: ...


_ANY = _Any()
