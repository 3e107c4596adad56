"""Which rows of a stream its sink is handed, and which of them it could not take."""

from __future__ import annotations

from headrace.connect.sink import Sink
from headrace.errors import Unsupported
from headrace.model.accumulation import Accumulation
from headrace.model.modes import Output
from headrace.model.triggers.at_watermark import AtWatermark
from headrace.model.windows.all_time import AllTime
from headrace.plan.nodes import Aggregate, KernelWindow, Node, Reduce, upstream
from headrace.plan.panes import panes_behind


def default_output(node: Node) -> Output:
    """Update for results that are never final, or come in panes that replace each other; else append."""
    if any(isinstance(before, Aggregate | Reduce) for before in upstream(node)):
        return Output.UPDATE
    changing = any(_changes(windows) for windows in panes_behind(node))
    return Output.UPDATE if changing else Output.APPEND


def fits(node: Node, sink: Sink, output: Output) -> None:
    """Raise what stands against handing this stream's panes to this sink so."""
    for windows in panes_behind(node):
        if output is Output.APPEND:
            _final(windows)
    for windows in panes_behind(node, nearest=True):
        if windows.accumulation is Accumulation.RETRACTING and not sink.retracts:
            raise Unsupported(
                f"the window takes panes back, and {sink.text} cannot give up rows that it has",
                hint="name hr.accumulating or hr.discarding instead, or write to a sink that takes rows back:"
                " hr.kafka(…), hr.memory(), hr.console(), hr.foreach_batch(…)",
            )


def _changes(windows: KernelWindow) -> bool:
    if windows.trigger is None:
        return isinstance(windows.window, AllTime)
    return windows.accumulation is not Accumulation.DISCARDING


def _final(windows: KernelWindow) -> None:
    """Append takes rows that nothing replaces: the last pane of a window, or panes of what is new."""
    if windows.trigger is None or windows.accumulation is Accumulation.DISCARDING:
        return
    if windows.accumulation is Accumulation.RETRACTING:
        raise Unsupported(
            "output='append' takes final panes alone, and those are never taken back",
            hint="write output='update', or accumulate: hr.accumulating",
        )
    if windows.trigger != AtWatermark():
        said = windows.trigger.text
        raise Unsupported(
            f"output='append' takes final panes alone, and the other panes of '{said}' would never leave",
            hint="write output='update'; or hand on what is new in each pane: .trigger(…, hr.discarding);"
            " or leave the trigger out",
        )
