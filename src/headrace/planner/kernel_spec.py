"""A window of the kernel's as plain data, the way that it is handed over."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from headrace.model.accumulation import Accumulation
from headrace.model.expression import Expr
from headrace.model.modes import Output
from headrace.model.triggers._trigger import Trigger
from headrace.model.triggers.at_watermark import AtWatermark
from headrace.model.triggers.each_row import EachRow
from headrace.model.windows.all_time import AllTime
from headrace.plan.nodes import ROWS, KernelWindow


def kernel_spec(node: KernelWindow, output: Output) -> dict[str, Any]:
    """The window, its trigger and what is made of its panes; lengths of time are in microseconds.

    The trigger's conditions stand in it as numbers: places in the list that `predicates` gives.
    """
    return {
        "window": node.window.spec(),
        "on": str(node.window.on),
        "lateness": node.lateness,
        "ttl": node.ttl,
        "late": node.late or "keep",
        "trigger": trigger_of(node, output).spec([]),
        "accumulation": str(node.accumulation),
        "final_only": final_only(node, output),
        "pane": node.trigger is not None,
        "op": node.accumulation is Accumulation.RETRACTING,
    }


def kept_for(node: KernelWindow, output: Output) -> dict[str, str]:
    """What a window's state is kept for, in parts; a part that changes leaves it to nobody.

    Names may change, and so may lateness and ttl: they say when state is let go of, and not what it is.
    """
    aggregates = ("rows" if each.name == ROWS else bare(each) for each in node.aggregates)
    return {
        "keys": ", ".join(map(bare, node.keys)) or "no key",
        "windows": node.window.text,
        "aggregates": ", ".join(aggregates),
        "panes": f"{trigger_of(node, output).text}, {node.accumulation}",
    }


def bare(expression: Expr) -> str:
    """An expression without the name of its result."""
    return str(replace(expression, name=None))


def predicates(node: KernelWindow) -> tuple[Expr, ...]:
    """The conditions that the window's trigger asks of each row, in the order in which it numbers them."""
    found: list[Expr] = []
    if node.trigger is not None:
        node.trigger.spec(found)
    return tuple(found)


def trigger_of(node: KernelWindow, output: Output) -> Trigger:
    """The trigger that was named, or else what is meant where none was."""
    if node.trigger is not None:
        return node.trigger
    if isinstance(node.window, AllTime):
        return EachRow()
    return AtWatermark() if final_only(node, output) else AtWatermark(late=EachRow())


def final_only(node: KernelWindow, output: Output) -> bool:
    """Whether just a window's last pane leaves; panes of what is new replace nothing, so all of them may."""
    if node.trigger is not None and node.accumulation is Accumulation.DISCARDING:
        return False
    return output is not Output.UPDATE
