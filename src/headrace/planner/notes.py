"""What is worth knowing of a plan beyond its steps: when windows tell, and what becomes of late rows."""

from __future__ import annotations

from collections.abc import Iterator

from headrace.model.accumulation import Accumulation
from headrace.model.modes import Output
from headrace.plan.nodes import KernelWindow, Late, Node, Results, upstream
from headrace.plan.panes import panes_behind
from headrace.planner.kernel_spec import final_only, trigger_of
from headrace.planner.physical import Physical
from headrace.planner.support import drops_late
from headrace.time import show


def notes(physical: Physical) -> list[str]:
    """A line on each step that has something of its own to say."""
    return [
        f"{node.verb} ({_where(node)}): {said}"
        for node, _support in physical.steps
        for said in _said(node, physical)
    ]


def _said(node: Node, physical: Physical) -> Iterator[str]:
    if drops_late(node):
        yield (
            "rows later than Spark's watermark are dropped, as late='drop' says"
            if physical.mode.streaming
            else "a batch run has no watermark, so no row is late in it"
        )
    if isinstance(node, KernelWindow):
        for output in _outputs(node, physical):
            yield _telling(node, output)
        yield from _lateness(node, physical)
        if Output.UPDATE in _outputs(node, physical):
            yield from _panes_as_rows(node)


def _outputs(node: KernelWindow, physical: Physical) -> list[Output]:
    """The output modes in which the window's results leave it, each once."""
    found = [
        query.output
        for query in physical.queries
        if any(isinstance(at, Results) and at.input is node for at in _steps(query.writes))
    ]
    return list(dict.fromkeys(found))


def _steps(ends: tuple[Node, ...]) -> Iterator[Node]:
    for end in ends:
        yield from upstream(end)


def _telling(node: KernelWindow, output: Output) -> str:
    fires = f"tells its results {trigger_of(node, output).text}"
    if final_only(node, output):
        return f"{fires}, once a window"
    return f"{fires}, {node.accumulation}"


def _lateness(node: KernelWindow, physical: Physical) -> Iterator[str]:
    if not node.window.ends_in_event_time:
        return
    closed = f"{show(node.lateness)} after its end" if node.lateness else "at its end"
    if node.late == "drop":
        yield f"closes {closed}; later rows are dropped and counted, as late='drop' says"
    elif any(isinstance(step, Late) and step.input is node for step, _support in physical.steps):
        yield f"closes {closed}; later rows are in .late"
    else:
        yield f"closes {closed}; later rows are in .late, which nothing writes"


def _panes_as_rows(node: KernelWindow) -> Iterator[str]:
    """Told of a window over windows: it takes each pane for a row, so that what changed is there twice."""
    for before in panes_behind(node.input, nearest=True):
        if before.accumulation is not Accumulation.DISCARDING:
            yield (
                f"takes each pane of the window at {_where(before)} for a row, changed ones too; "
                "write output='append' for final ones alone, or discard there: hr.discarding"
            )


def _where(node: Node) -> str:
    return str(node.origin) if node.origin else "?"
