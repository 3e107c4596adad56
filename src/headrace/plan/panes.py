"""Which windows' panes come to a node of a plan."""

from __future__ import annotations

from collections.abc import Iterator

from headrace.plan.nodes import KernelWindow, Late, Node, Results


def panes_behind(node: Node, *, nearest: bool = False) -> Iterator[KernelWindow]:
    """The kernel's windows whose panes come to this node; `nearest`, those with no other window between."""
    if isinstance(node, Late):
        return
    if isinstance(node, Results):
        yield node.input
        if nearest:
            return
    for before in node.inputs:
        yield from panes_behind(before, nearest=nearest)
