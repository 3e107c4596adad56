"""Queries started: a plan's cut as a Spark query, and each of its batches handed to its sinks."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from headrace.connect.sink import Batch, Table, Writing
from headrace.errors import HeadraceError, JobFailed
from headrace.model.accumulation import Accumulation
from headrace.model.modes import Mode, Output
from headrace.origin import raised_at
from headrace.plan.nodes import (
    Aggregate,
    ApplyRows,
    KernelWindow,
    Late,
    Node,
    Reduce,
    Sql,
    WindowAggregate,
    Write,
    upstream,
)
from headrace.plan.process import KERNELS, Process
from headrace.planner.divide import Query
from headrace.planner.support import support
from headrace.spark.compile import Compiler, Setting, late_in
from headrace.spark.engine import LOG, as_column, kernel, log_folder
from headrace.spark.failure import failed
from headrace.spark.translate import blame, first_sentence
from headrace.time import interval

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming import DataStreamWriter, StreamingQuery

REAL_TIME_BATCH = "5 minutes"
OUT = "out:"
STATE = "kernel"
"""The folder of the kernel's state in a query's checkpoint."""


@dataclass
class Starter:
    """Starts the queries of one job in one mode; `show` takes the tables that console sinks give."""

    compiler: Compiler
    checkpoint: Callable[[Query], str]
    show: Callable[[Table], None]
    every: int = 0
    failures: dict[str, HeadraceError] = field(default_factory=dict)
    _compilers: dict[str, Compiler] = field(default_factory=dict)

    def counts(self, query: Query) -> dict[str, int]:
        """Rows of this query so far, rejected (by source) and out (by output)."""
        return self._compilers[query.name].counts() if query.name in self._compilers else {}

    def kept(self, query: Query) -> list[dict[str, Any]]:
        """How the kernel's operators of this query stand after its last batch, in the order of the plan."""
        if not any(isinstance(node, KERNELS) for node in upstream(query.cut)):
            return []
        found: list[dict[str, Any]] = json.loads(kernel().Kernel.told(f"{self.checkpoint(query)}/{STATE}"))
        return found

    def start(self, query: Query) -> StreamingQuery:
        """The running query; one that was stopped or has failed goes on from its checkpoint."""
        self.failures.pop(query.name, None)
        with blame(query.writes[0].origin):
            writer = self._writer(query).queryName(query.name)
            return self._timed(writer.option("checkpointLocation", self.checkpoint(query))).start()

    def compiled(self, query: Query) -> Compiler:
        """What compiles this query, knowing where its state lies."""
        if query.name not in self._compilers:
            setting = setting_of(query, self.compiler.setting, self.checkpoint(query))
            self._compilers[query.name] = self.compiler.again(setting)
        return self._compilers[query.name]

    def _writer(self, query: Query) -> DataStreamWriter:
        compiler = self.compiled(query)
        frame = compiler.frame(query.cut)
        output = Output.UPDATE if compiler.mode is Mode.REAL_TIME else spark_output(query)
        write = query.writes[0]
        if query.shared and compiler.mode is Mode.REAL_TIME:
            return self._together(query, compiler)
        native = self._native(write) if not query.shared else None
        if native is not None:
            with blame(write.origin, lambda: frame.columns):
                encoded = write.sink.encode(counted(frame, write, compiler))
                writer = encoded.writeStream.format(native.format).options(**native.options)
            if compiler.mode is Mode.REAL_TIME and _on_kernel(query):
                writer = self._unlisted(writer)
            return writer.partitionBy(*native.partition_by).outputMode(str(output))
        feeder = Feeder(query, compiler, self.show, self.failures)
        return frame.writeStream.foreachBatch(feeder).outputMode(str(output))

    def _together(self, query: Query, compiler: Compiler) -> DataStreamWriter:
        """One writer for all outputs: each row says to which topic it goes."""
        from pyspark.sql import DataFrame

        cut = compiler.frame(query.cut)
        made = [_addressed(write, compiler)._jdf for write in query.writes]
        fanned = DataFrame(kernel().Kernel.fan(cut._jdf, made), compiler.spark)
        writing = query.writes[0].sink.writing_together(compiler.project)
        writer = fanned.writeStream.format(writing.format).options(**writing.options)
        return self._unlisted(writer).outputMode(str(Output.UPDATE))

    def _unlisted(self, writer: DataStreamWriter) -> DataStreamWriter:
        """Spark knows the operators of its own alone: it would refuse the kernel's, and think the query to be
        without state; the planner's table says what can run in real time.
        """
        self.compiler.spark.conf.set("spark.sql.streaming.realTimeMode.allowlistCheck", "false")
        return writer.option("asyncProgressTrackingEnabled", "false")

    def _native(self, write: Write) -> Writing | None:
        if write.sink.native:
            return write.sink.writing(self.compiler.project)
        if self.compiler.mode is Mode.REAL_TIME:
            return Writing(str(write.sink.writing_in_real_time))
        return None

    def _timed(self, writer: DataStreamWriter) -> DataStreamWriter:
        if self.compiler.mode is Mode.AVAILABLE_NOW:
            return writer.trigger(availableNow=True)
        if self.compiler.mode is Mode.REAL_TIME:
            return writer.trigger(realTime=interval(self.every) if self.every else REAL_TIME_BATCH)  # type: ignore[call-overload,no-any-return]
        return writer.trigger(processingTime=interval(self.every))


def setting_of(query: Query, setting: Setting, checkpoint: str | None) -> Setting:
    """What the kernel's operators must know of this query; their state lies beside Spark's own."""
    place = None if checkpoint is None else f"{checkpoint}/{STATE}"
    return replace(setting, output=query.output, place=place, late=late_in(query.writes))


def spark_output(query: Query) -> Output:
    """Spark's own output mode: the kernel sees to its windows' panes, so that all they say is new."""
    return Output.APPEND if _on_kernel(query) else query.output


def _on_kernel(query: Query) -> bool:
    return any(isinstance(node, KERNELS) for write in query.writes for node in upstream(write.input))


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
                fault("sink")
            fault("written")
        finally:
            if self.query.shared:
                kept.unpersist()

    def _feed(self, write: Write, frame: DataFrame, number: int) -> None:
        hand_over(write, self.query, frame, self.compiler, self.show, number)


def fault(point: str) -> None:
    """A point of a batch at which a test may let the job die, as the kernel's `Faults` says."""
    if "HEADRACE_FAULT" in os.environ:
        kernel().Faults.reach(point)


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
    except (Exception, SystemExit) as error:
        said = str(error)
        if "InterruptedException" in said or "InterruptedIOException" in said or "ClosedByInterrupt" in said:
            called = "py4j.protocol.Py4JJavaError: An error occurred while calling write: "
            raise RuntimeError(f"{called}java.lang.InterruptedException") from None
        if "cancelled" in said and "job group" in said:
            raise RuntimeError(f"org.apache.spark.SparkException: {said[:400]}") from None
        failures[query] = users_failure(query, write, error) or failed(query, said, write.origin, log)
        raise RuntimeError(said[:2000]) from None


def users_failure(query: str, write: Write, error: BaseException) -> JobFailed | None:
    """The failure of a function that the user wrote and a sink called, if that is what the error is."""
    at = raised_at(error)
    from_spark = type(error).__module__.startswith(("py4j", "pyspark"))
    if from_spark and (at is None or "Traceback (most recent call last)" in str(error)):
        return None
    said = first_sentence(str(error)) if from_spark else str(error)
    return JobFailed(
        f"query '{query}' failed: {type(error).__name__}: {brief(said)}",
        hint=f"'{write.name}' was being written; mend that line and start again",
        origin=at or write.origin,
    )


def brief(text: str, most: int = 400) -> str:
    return text if len(text) <= most else text[:most].rstrip() + " …"


def run_batch(query: Query, compiler: Compiler, show: Callable[[Table], None]) -> None:
    """Run a query once over all there is, and write each of its outputs."""
    cut = compiler.frame(query.cut)
    kept = cut.persist() if query.shared else cut
    try:
        for write in query.writes:
            with told_of_users(query.name, write):
                hand_over(write, query, kept, compiler, show)
    finally:
        if query.shared:
            kept.unpersist()


def hand_over(
    write: Write,
    query: Query,
    frame: DataFrame,
    compiler: Compiler,
    show: Callable[[Table], None],
    number: int | None = None,
) -> None:
    """Take the rows of a query's cut on to one of its sinks; `number` is the batch's, None in a batch run."""
    known = Compiler(frame.sparkSession, compiler.project, Mode.BATCH, known={query.cut: frame})
    rows = known.frame(write.input)
    if write.sink.native:
        rows = counted(rows, write, compiler)
    with blame(write.origin, lambda: rows.columns):
        told = write.sink.write(
            Batch(
                frame=rows,
                number=number or 0,
                name=write.name,
                output=Output.COMPLETE if number is None else write.output,
                keys=tuple(keys_of(write)),
                project=compiler.project,
                streaming=number is not None,
                write_files=write_files,
                show=show,
            )
        )
    if told is not None:
        compiler.counter(OUT + write.name).add(told)


@contextmanager
def told_of_users(query: str, write: Write) -> Iterator[None]:
    """What a user's function raised in a batch run, at its own line; any other error as it is."""
    try:
        yield
    except HeadraceError:
        raise
    except Exception as error:
        told = users_failure(query, write, error)
        if told is None:
            raise
        raise told from None


def write_files(frame: DataFrame, number: int, writing: Writing) -> None:
    """A batch of files, listed under its number, so that the same number again changes nothing."""
    kernel().FileBatches.write(
        frame._jdf, number, writing.format, dict(writing.options), list(writing.partition_by)
    )  # fmt: skip


def keys_of(write: Write) -> list[str]:
    """The columns that tell the rows of a result apart: its keys, and its window; none, if none do.

    Panes that hold just what is new stand beside each other, and are told apart by `pane` too.
    """
    for node in reversed(list(upstream(write.input))):
        if isinstance(node, Late | ApplyRows | Process):
            return []
        if isinstance(node, WindowAggregate | Aggregate | Reduce | KernelWindow):
            return [*(key.name or str(key) for key in node.keys), *_window_columns(node)]
    return []


def _window_columns(node: Node) -> list[str]:
    if isinstance(node, KernelWindow):
        apart = ("window", "pane") if node.accumulation is Accumulation.DISCARDING else ("window",)
        return [name for name in node.pane_columns if name in apart]
    return ["window"] if isinstance(node, WindowAggregate) else []


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


def stop_gently(queries: Sequence[StreamingQuery], limit: float) -> None:
    """Stop each query at the end of its present batch, or when the limit in seconds has passed."""
    kernel().Queries.stopGently([query._jsq for query in queries], int(limit * 1000))


def _addressed(write: Write, compiler: Compiler) -> DataFrame:
    frame = compiler.frame(write.input)
    with blame(write.origin, lambda: frame.columns):
        return write.sink.addressed(counted(frame, write, compiler))


def counted(frame: DataFrame, write: Write, compiler: Compiler) -> DataFrame:
    """The frame, its rows counted as they pass on to the sink."""
    return frame.where(as_column(kernel().Expressions.counted(compiler.counter(OUT + write.name))))
