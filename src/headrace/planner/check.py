"""What cannot be run as asked, said before anything runs."""

from __future__ import annotations

from headrace.errors import NothingToRun, Unsupported
from headrace.model.modes import Mode, Output
from headrace.model.windows._window import TimeOf
from headrace.model.windows.all_time import AllTime
from headrace.model.windows.session import Session
from headrace.model.windows.sliding import Sliding
from headrace.model.windows.tumbling import Tumbling
from headrace.plan.nodes import (
    Aggregate,
    Drop,
    Job,
    Late,
    Node,
    Read,
    Reduce,
    Rename,
    Results,
    Select,
    Where,
    WindowAggregate,
    WithColumns,
    Write,
    upstream,
)
from headrace.plan.panes import panes_behind
from headrace.plan.process import KERNELS, Process
from headrace.planner.divide import KeepsState, Query
from headrace.planner.support import support


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
            _kernel(write, keeps_state)
            _state(write, keeps_state)
            _sessions(write, mode)


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
    if any(windows.trigger for windows in panes_behind(write.input)):
        return (
            "hand on what is new in each pane: .trigger(…, hr.discarding); "
            "or leave the trigger out, and each window is written once"
        )
    if any(isinstance(windows.window, AllTime) for windows in panes_behind(write.input)):
        return "all_time() is never final; hand on what is new: .trigger(hr.every('1 minute'), hr.discarding)"
    return f"write it with output='{allowed[0]}'"


def _kernel(write: Write, keeps_state: KeepsState) -> None:
    """What does not go together with windows of the kernel's, in a query that goes on."""
    if not any(isinstance(node, KERNELS) for node in upstream(write.input)):
        return
    for node in _sparks(write, keeps_state):
        raise Unsupported(
            f"'{node.verb}' keeps state in Spark's own operator, and "
            f"{'process()' if _processes(write) else 'a window'} of this stream in the kernel;"
            " one query cannot run both",
            hint=_BESIDE.get(type(node), "write the first result to a topic and read it in a second app"),
            origin=node.origin,
        )
    if write.output is Output.COMPLETE:
        raise Unsupported(
            "process() gives rows one by one, not the complete result"
            if _processes(write)
            else "a window of the kernel's gives its final or its changed rows, not the complete result",
            hint=_complete_hint(write),
            origin=write.origin,
        )
    for windows in panes_behind(write.input):
        forever = isinstance(windows.window, AllTime) and windows.trigger is None
        if forever and write.output is Output.APPEND:
            raise Unsupported(
                "all_time() has no final rows to append",
                hint="write output='update', or hand on what is new: "
                ".trigger(hr.every('1 minute'), hr.discarding)",
                origin=write.origin,
            )


def _processes(write: Write) -> bool:
    return any(isinstance(node, Process) for node in upstream(write.input))


_BESIDE: dict[type[Node], str] = {
    WindowAggregate: "leave late='drop' out, so that this window runs on the kernel too",
    Aggregate: "write .window(hr.all_time()).agg(…), which runs on the kernel",
}


def _complete_hint(write: Write) -> str:
    if _processes(write):
        return "write output='append', or 'update' where rows replace others"
    able = Tumbling | Sliding | Session
    found = [windows.window for windows in panes_behind(write.input)]
    if all(isinstance(window, able) and window.on is not TimeOf.INGESTION for window in found):
        return (
            "write output='update'; or say late='drop' and name neither lateness nor trigger:"
            " Spark's own operator runs such a window, and can"
        )
    return "write output='update'"


def _sparks(write: Write, keeps_state: KeepsState) -> list[Node]:
    """The operators of Spark's own that keep state on the way to an output."""
    return [node for node in upstream(write.input) if keeps_state(node) and not isinstance(node, KERNELS)]


def _state(write: Write, keeps_state: KeepsState) -> None:
    stateful = _sparks(write, keeps_state)
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
            hint="leave late='drop' out, and the kernel runs it, which does; "
            "or write output='update' or 'complete'",
            origin=write.origin,
        )


def _sessions(write: Write, mode: Mode) -> None:
    if write.output is not Output.UPDATE or mode is Mode.REAL_TIME:
        return
    for node in upstream(write.input):
        if isinstance(node, WindowAggregate) and isinstance(node.window, Session):
            raise Unsupported(
                "Spark gives session windows when they are final, not while they change",
                hint="leave late='drop' out, and the kernel runs it, which does; "
                "or write output='append' or 'complete'",
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
        stateful = _sparks(write, keeps_state)
        if stateful and write.output is not Output.UPDATE:
            found.append((write, f"Spark's real-time mode gives changed rows alone, not {write.output}"))
        if len(stateful) > 1:
            found.append((write, "Spark's real-time mode runs one of its own operators with state"))
    if query.shared:
        found += _together(query)
    return list(dict.fromkeys(found))


FOLDED = (Where, Select, WithColumns, Drop, Rename, Results, Late)
"""Verbs of single rows, that can be worked out for several outputs in one pass."""


def _together(query: Query) -> list[tuple[Node, str]]:
    """Why outputs that share a query cannot share its one writer."""
    first, *others = query.writes
    reason = first.sink.together([write.sink for write in others])
    if reason:
        return [(others[0], reason)]
    return [
        (node, f"'{node.verb}' stands between the rows that the outputs share and one of them")
        for write in query.writes
        for node in upstream(write.input)
        if node is not query.cut and query.cut in upstream(node) and not isinstance(node, FOLDED)
    ]
