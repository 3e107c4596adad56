"""What cannot be run as asked, said before anything runs."""

from __future__ import annotations

from headrace.errors import NothingToRun, Unsupported
from headrace.model.modes import Mode, Output
from headrace.model.windows._window import TimeOf
from headrace.model.windows.session import Session
from headrace.plan.nodes import Aggregate, Job, Node, Read, Reduce, WindowAggregate, Write, upstream
from headrace.planner.divide import KeepsState, Query
from headrace.planner.support import drops_late, support


def check(job: Job, mode: Mode, keeps_state: KeepsState) -> None:
    """Raise the first thing that stands against running this job in this mode."""
    if not job.writes:
        raise NothingToRun(f"app '{job.name}' writes nothing", hint="end a stream with .write(hr.console())")
    for write in job.writes:
        for node in upstream(write.input):
            if isinstance(node, Read):
                _source(node, mode)
        _sink(write, mode)
        if mode.streaming:
            _state(write, keeps_state)
            _late(write, mode)


def _source(node: Read, mode: Mode) -> None:
    reason = node.source.refuses(mode)
    if reason:
        fit = Mode.BATCH if node.source.refuses(Mode.MICRO_BATCH) else Mode.MICRO_BATCH
        raise Unsupported(
            f"'{node.name}' cannot be run so: {reason}", hint=f"run it in {fit}", origin=node.origin
        )


def _sink(write: Write, mode: Mode) -> None:
    output = Output.UPDATE if mode is Mode.REAL_TIME else write.output
    reason = write.sink.refuses(mode, output if mode.streaming else Output.APPEND)
    if reason:
        hint = "run it in micro-batch" if mode is Mode.REAL_TIME else _sink_hint(write)
        raise Unsupported(f"'{write.name}' cannot be written so: {reason}", hint=hint, origin=write.origin)


def _sink_hint(write: Write) -> str:
    allowed = sorted(write.sink.outputs)
    if any(isinstance(node, Aggregate | Reduce) for node in upstream(write.input)):
        return (
            "a running result changes for ever; cut it into windows, or write it where rows can be replaced"
        )
    return f"write it with output='{allowed[0]}'"


def _state(write: Write, keeps_state: KeepsState) -> None:
    stateful = [node for node in upstream(write.input) if keeps_state(node)]
    if write.output is Output.COMPLETE:
        if not stateful:
            raise Unsupported(
                "there is no complete result of a stream without an aggregate",
                hint="write output='append', or aggregate first",
                origin=write.origin,
            )
        if any(isinstance(node, Reduce) for node in stateful):
            raise Unsupported(
                "Spark gives no complete result of reduce()",
                hint="write output='update', or use agg()",
                origin=write.origin,
            )
    if write.output is Output.APPEND:
        for node in stateful:
            _final(node, write)
    if write.output is not Output.APPEND and len(stateful) > 1:
        raise Unsupported(
            f"Spark runs one operator with state in {write.output} mode, and this stream has {len(stateful)}",
            hint="write output='append', or write the first result to a topic and read it in a second app",
            origin=write.origin,
        )


def _final(node: Node, write: Write) -> None:
    if isinstance(node, Aggregate | Reduce):
        raise Unsupported(
            "a running result has no final rows to append",
            hint="write output='update' (changed rows) or 'complete' (all rows), or cut it into windows",
            origin=write.origin,
        )
    if isinstance(node, WindowAggregate) and node.window.on is TimeOf.PROCESSING:
        raise Unsupported(
            "Spark never calls a window of processing time final",
            hint="write output='update' or 'complete'",
            origin=write.origin,
        )


def _late(write: Write, mode: Mode) -> None:
    for node in upstream(write.input):
        if not isinstance(node, WindowAggregate):
            continue
        if node.window.on is TimeOf.INGESTION:
            raise Unsupported(
                "windows of ingestion time are not built yet",
                hint="read the stamp as event time: "
                "hr.kafka(…, metadata=['timestamp']) and event_time='timestamp'",
                origin=node.window_origin,
            )
        if drops_late(node) and node.late != "drop":
            raise Unsupported(
                "the window runs on Spark's own operator, which drops late rows without a word",
                hint="say that this is what you want: .window(…, late='drop')",
                origin=node.window_origin,
            )
        if isinstance(node.window, Session) and write.output is Output.UPDATE and mode is not Mode.REAL_TIME:
            raise Unsupported(
                "Spark gives session windows when they are final, not while they change",
                hint="write output='append' or 'complete'",
                origin=write.origin,
            )


def against_real_time(query: Query, keeps_state: KeepsState) -> list[tuple[Node, str]]:
    """Every reason why this query cannot run in real time, and the node that it is about."""
    found: list[tuple[Node, str]] = []
    for write in query.writes:
        for node in upstream(write.input):
            if isinstance(node, Read):
                reason = node.source.refuses(Mode.REAL_TIME)
            else:
                reason = support(node, sql_keeps_state=keeps_state(node)).real_time
            if reason:
                found.append((node, reason))
        reason = write.sink.refuses(Mode.REAL_TIME, Output.UPDATE)
        if reason:
            found.append((write, reason))
        stateful = [node for node in upstream(write.input) if keeps_state(node)]
        if stateful and write.output is not Output.UPDATE:
            found.append((write, f"Spark's real-time mode gives changed rows alone, not {write.output}"))
        if len(stateful) > 1:
            found.append((write, "Spark's real-time mode runs one of its own operators with state"))
    if query.shared:
        found.append((query.writes[1], "Spark's real-time mode feeds one sink a query"))
    return list(dict.fromkeys(found))
