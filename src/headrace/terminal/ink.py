"""What the SVG and the PNG have in common: sizes in pixels, colours, and the curves between boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

from headrace.terminal.layout import Box, Edge, Layout, Node, Size, Spacing, layout

MARGIN = 16.0
PADDING = 14.0
TITLE, DETAIL, KIND = 14.0, 12.0, 10.0
TITLE_ADVANCE, DETAIL_ADVANCE, KIND_ADVANCE = 9.4, 7.25, 6.1
FIRST_LINE, LINE = 25.0, 17.0
CORNER, STROKE = 9.0, 1.5
HEAD_LENGTH, HEAD_WIDTH = 8.0, 8.0
LONGEST = 64
IN_A_LAYER = 5
EDGE = "#7d8796"
DETAIL_INK = "#374151"


@dataclass(frozen=True)
class Colours:
    """The colours of one kind of box; boxes are filled, so that they are legible on light and on dark."""

    fill: str
    border: str
    title: str


KINDS = {
    "source": Colours("#e6f0fe", "#3b82f6", "#1e3f9c"),
    "step": Colours("#f3f4f6", "#9aa3b0", "#1f2937"),
    "state": Colours("#fef1dc", "#e2930c", "#85390b"),
    "sink": Colours("#e4f7ec", "#23a267", "#125938"),
}


@dataclass(frozen=True)
class Curve:
    """One stretch of an edge: straight down to `bend`, then in an S to the end; all in pixels."""

    x: float
    y: float
    bend: float
    end_x: float
    end_y: float
    pointed: bool

    @property
    def stop(self) -> float:
        """Where the line ends and the head begins."""
        return self.end_y - (HEAD_LENGTH - 1 if self.pointed else 0)

    @property
    def middle(self) -> float:
        return (self.bend + self.stop) / 2


def colours(box: Box) -> Colours:
    return KINDS.get(box.kind, KINDS["step"])


def label(box: Box) -> str:
    """The kind in words, which a plain step does without."""
    return box.kind if box.kind in KINDS and box.kind != "step" else ""


def cut(line: str) -> str:
    """A line of a box, with … where it had to be cut."""
    return line if cell_len(line) <= LONGEST else set_cell_size(line, LONGEST - 1).rstrip() + "…"


def in_pixels(box: Box) -> Size:
    """The size of a box in pixels."""
    words = label(box)
    title = cell_len(cut(box.title)) * TITLE_ADVANCE + (len(words) * KIND_ADVANCE + 12 if words else 0)
    details = max((cell_len(cut(line)) * DETAIL_ADVANCE for line in box.lines), default=0.0)
    below = len(box.lines) * LINE + 5 if box.lines else 0
    return max(title, details, 70.0) + 2 * PADDING, FIRST_LINE + 12 + below


def arranged(boxes: Sequence[Box], edges: Sequence[Edge]) -> Layout:
    """The graph laid out in pixels."""
    return layout(boxes, edges, size=in_pixels, spacing=Spacing(26, 46, 8), most=IN_A_LAYER)


def curves(drawn: Layout) -> list[Curve]:
    """Every stretch of every edge; one that passes a layer goes straight through it."""
    bottoms = [max((node.y + node.height for node in layer), default=0.0) for layer in drawn.layers]
    return [_curve(above, below, bottoms[above.layer]) for above, below in drawn.links]


def _curve(above: Node, below: Node, bottom: float) -> Curve:
    start = above.y + above.height if above.box else above.y
    return Curve(above.x, start, bottom, below.x, below.y, below.box is not None)
