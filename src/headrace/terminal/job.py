"""A job's plan as boxes to draw."""

from __future__ import annotations

from headrace.planner.explain import Explained
from headrace.terminal.layout import Box, Edge


def boxes_of(explained: Explained) -> tuple[list[Box], list[Edge]]:
    """A box a step, and the edges between them."""
    boxes = [
        Box(str(step["id"]), step["step"], tuple(filter(None, (step["what"], step["runs_on"]))), step["kind"])
        for step in explained.content["steps"]
    ]
    return boxes, [(str(start), str(end)) for start, end in explained.content["edges"]]
