"""A drawn picture of a job's graph: one layout, and three pens (characters, SVG, PNG)."""

from __future__ import annotations

from headrace.terminal.characters import text
from headrace.terminal.layout import Box, Edge, Layout, layout
from headrace.terminal.png import png
from headrace.terminal.svg import svg

__all__ = ["Box", "Edge", "Layout", "layout", "png", "svg", "text"]
