"""Queries started: a plan's cut as a Spark query, and each of its batches handed to its sinks."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from headrace.connect.sink import Batch, Table, Writing
from headrace.errors import HeadraceError, JobFailed
from headrace.model.modes import Mode, Output
from headrace.origin import Origin, is_ours
from headrace.plan.nodes import Aggregate, Node, Reduce, Sql, WindowAggregate, Write, upstream
from headrace.planner.divide import Query
from headrace.planner.support import support
from headrace.spark.compile import Compiler
from headrace.spark.engine import LOG, kernel, log_folder
from headrace.spark.failure import failed
from headrace.spark.translate import blame
from headrace.time import interval

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming import DataStreamWriter, StreamingQuery

REAL_TIME_BATCH = "5 minutes"


@dataclass
class Starter:
    """Starts the queries of one job in one mode; `show` takes the tables that console sinks give."""

    compiler: Compiler
    checkpoint: Callable[[Query], str]
    show: Callable[[Table], None]
    every: int = 0
    failures: dict[str, HeadraceError] = field(default_factory=dict)

    def start(self, query: Query) -> StreamingQuery:
        """The running query; one that was stopped or has failed goes on from its checkpoint."""
        with blame(query.writes[0].origin):
            writer = self._writer(query).queryName(query.name)
            return self._timed(writer.option("checkpointLocation", self.checkpoint(query))).start()

    def _writer(self, query: Query) -> DataStreamWriter:
        mode = self.compiler.mode
        frame = self.compiler.frame(query.cut)
        output = Output.UPDATE if mode is Mode.REAL_TIME else query.output
        write = query.writes[0]
        native = self._native(write) if not query.shared else None
        if native is not None:
            with blame(write.origin, frame.columns):
                encoded = write.sink.encode(frame if native.counts else _observed(frame, write))
                writer = encoded.writeStream.format(native.format).options(**native.options)
            return writer.partitionBy(*native.partition_by).outputMode(str(output))
        if not query.shared:
            frame = _observed(frame, write)
        feeder = Feeder(query, self.compiler, self.show, self.failures)
        return frame.writeStream.foreachBatch(feeder).outputMode(str(output))

    def _native(self, write: Write) -> Writing | None:
        if write.sink.native:
            return write.sink.writing(self.compiler.project)
        if self.compiler.mode is Mode.REAL_TIME:
            return Writing(str(write.sink.writing_in_real_time), counts=True)
        return None

    def _timed(self, writer: DataStreamWriter) -> DataStreamWriter:
        if self.compiler.mode is Mode.AVAILABLE_NOW:
            return writer.trigger(availableNow=True)
        if self.compiler.mode is Mode.REAL_TIME:
            return writer.trigger(realTime=interval(self.every) if self.every else REAL_TIME_BATCH)  # type: ignore[call-overload,no-any-return]
        return writer.trigger(processingTime=interval(self.every))


@dataclass
class Feeder:
    """Hands each batch of a query to its sinks; the batch is computed once, however many they are."""

    query: Query
    compiler: Compiler
    show: Callable[[Table], None]
    failures: dict[str, HeadraceError]

    def __call__(self, frame: DataFrame, number: int) -> None:
        kept = frame.persist() if self.query.shared else frame
        log = str(log_folder(self.compiler.project) / LOG)
        try:
            for write in self.query.writes:
                with told_shortly(self.query.name, write, self.failures, log):
                    self._feed(write, kept, number)
        finally:
            if self.query.shared:
                kept.unpersist()

    def _feed(self, write: Write, frame: DataFrame, number: int) -> None:
        inner = Compiler(frame.sparkSession, self.compiler.project, Mode.BATCH, known={self.query.cut: frame})
        rows = inner.frame(write.input)
        with blame(write.origin, rows.columns):
            write.sink.write(
                Batch(
                    frame=rows,
                    number=number,
                    name=write.name,
                    output=write.output,
                    keys=tuple(keys_of(write)),
                    project=self.compiler.project,
                    write_files=write_files,
                    show=self.show,
                )
            )


@contextmanager
def told_shortly(query: str, write: Write, failures: dict[str, HeadraceError], log: str) -> Iterator[None]:
    """Keep what a sink raised for the one who watches the query, and tell the JVM just a line of it.

    Spark matches the text of a Python error against a pattern that overflows its stack when the text is long,
    and the query's thread then dies without a word.
    """
    try:
        yield
    except HeadraceError as error:
        failures[query] = error
        raise RuntimeError(error.message) from None
    except Exception as error:  # noqa: BLE001 - whatever a user's sink raises ends the query, and is told
        said = str(error)
        if "InterruptedException" in said or "InterruptedIOException" in said or "ClosedByInterrupt" in said:
            called = "py4j.protocol.Py4JJavaError: An error occurred while calling write: "
            raise RuntimeError(f"{called}java.lang.InterruptedException") from None
        if "cancelled" in said and "job group" in said:
            raise RuntimeError(f"org.apache.spark.SparkException: {said[:400]}") from None
        if type(error).__module__.startswith(("py4j", "pyspark")):
            failures[query] = failed(query, said, write.origin, log)
        else:
            failures[query] = JobFailed(
                f"query '{query}' failed: {type(error).__name__}: {error}",
                hint=f"'{write.name}' was being written; mend that line and start again",
                origin=raised_at(error) or write.origin,
            )
        raise RuntimeError(said[:2000]) from None


def raised_at(error: BaseException) -> Origin | None:
    """The last line of the user's own that an error came through."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not is_ours(frame.filename)]
    own = [frame for frame in frames if "site-packages" not in frame.filename and frame.lineno]
    return Origin(own[-1].filename, own[-1].lineno or 0) if own else None


def run_batch(query: Query, compiler: Compiler, show: Callable[[Table], None]) -> None:
    """Run a query once over all there is, and write each of its outputs."""
    cut = compiler.frame(query.cut)
    kept = cut.persist() if query.shared else cut
    known = Compiler(compiler.spark, compiler.project, Mode.BATCH, known={query.cut: kept})
    try:
        for write in query.writes:
            rows = known.frame(write.input)
            with blame(write.origin, rows.columns):
                write.sink.write(
                    Batch(
                        frame=rows,
                        number=0,
                        name=write.name,
                        output=Output.COMPLETE,
                        keys=tuple(keys_of(write)),
                        project=compiler.project,
                        streaming=False,
                        show=show,
                    )
                )
    finally:
        if query.shared:
            kept.unpersist()


def write_files(frame: DataFrame, number: int, writing: Writing) -> None:
    """A batch of files, listed under its number, so that the same number again changes nothing."""
    kernel().FileBatches.write(
        frame._jdf, number, writing.format, dict(writing.options), list(writing.partition_by)
    )  # fmt: skip


def keys_of(write: Write) -> list[str]:
    """The columns that tell the rows of a result apart: its keys, and its window."""
    for node in reversed(list(upstream(write.input))):
        if isinstance(node, WindowAggregate | Aggregate | Reduce):
            window = ["window"] if isinstance(node, WindowAggregate) else []
            return [*(key.name or str(key) for key in node.keys), *window]
    return []


def state_teller(compiler: Compiler) -> Callable[[Node], bool]:
    """A function that tells whether a node keeps state; for SQL it asks Spark."""

    def keeps_state(node: Node) -> bool:
        if not isinstance(node, Sql):
            return support(node).state
        if not compiler.mode.streaming:
            return False
        count = kernel().Plans.stateful
        return bool(count(compiler.frame(node)._jdf) > count(compiler.frame(node.input)._jdf))

    return keeps_state


def progress_since(query: StreamingQuery, timestamp: str) -> list[dict[str, Any]]:
    """What a query has told of its batches since a moment, oldest first."""
    found: list[dict[str, Any]] = json.loads(kernel().Queries.progressSince(query._jsq, timestamp))
    return found


def stop_gently(query: StreamingQuery, limit: float) -> None:
    """Stop between two batches, if such a moment comes within the limit in seconds."""
    kernel().Queries.stopGently(query._jsq, int(limit * 1000))


def _observed(frame: DataFrame, write: Write) -> DataFrame:
    from pyspark.sql import functions as F

    return frame.observe(f"out:{write.name}", F.count(F.lit(1)).alias("rows"))
