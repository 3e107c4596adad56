"""A graph drawn as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from headrace.terminal import ink
from headrace.terminal.layout import Box, Edge, Node

SANS = "ui-sans-serif, system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"
MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def svg(boxes: Sequence[Box], edges: Sequence[Edge], *, title: str = "The graph of a job") -> str:
    """The graph as an SVG document that needs nothing from elsewhere.

    >>> svg([Box("a", "a")], []).startswith("<svg")
    True
    """
    drawn = ink.arranged(boxes, edges)
    width, height = (_number(length + 2 * ink.MARGIN) for length in (drawn.width, drawn.height))
    nodes = [node for layer in drawn.layers for node in layer if node.box]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img">',
        f"<title>{_escaped(title)}</title>",
        f'<g transform="translate({_number(ink.MARGIN)} {_number(ink.MARGIN)})">',
        f'<g fill="none" stroke="{ink.EDGE}" stroke-width="{ink.STROKE}" stroke-linejoin="round">',
        *(_line(curve) for curve in ink.curves(drawn)),
        "</g>",
        *(_head(node) for node in _pointed_at(nodes, edges)),
        *(line for node in nodes if node.box for line in _box(node, node.box)),
        "</g>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _line(curve: ink.Curve) -> str:
    x, y, bend, end, stop, middle = (
        _number(value) for value in (curve.x, curve.y, curve.bend, curve.end_x, curve.stop, curve.middle)
    )
    return f'<path d="M{x} {y}V{bend}C{x} {middle} {end} {middle} {end} {stop}"/>'


def _pointed_at(nodes: list[Node], edges: Sequence[Edge]) -> list[Node]:
    targets = {target for _, target in edges}
    return [node for node in nodes if node.box and node.box.id in targets]


def _head(node: Node) -> str:
    half, length = _number(ink.HEAD_WIDTH / 2), _number(ink.HEAD_LENGTH)
    at = f"M{_number(node.x)} {_number(node.y)}"
    return f'<path d="{at}l-{half} -{length}h{_number(ink.HEAD_WIDTH)}z" fill="{ink.EDGE}"/>'


def _box(node: Node, box: Box) -> list[str]:
    colours = ink.colours(box)
    left, top = _number(node.x - node.width / 2), _number(node.y)
    inner, right = _number(ink.PADDING), _number(node.width - ink.PADDING)
    details = [
        f'<text x="{inner}" y="{_number(ink.FIRST_LINE + 2 + ink.LINE * row)}" fill="{ink.DETAIL_INK}" '
        f'font-family="{MONO}" font-size="{_number(ink.DETAIL)}" '
        f'xml:space="preserve">{_escaped(ink.cut(line))}</text>'
        for row, line in enumerate(box.lines, start=1)
    ]
    kind = (
        f'<text x="{right}" y="{_number(ink.FIRST_LINE - 1)}" text-anchor="end" fill="{colours.title}" '
        f'fill-opacity="0.75" font-family="{SANS}" font-size="{_number(ink.KIND)}">{ink.label(box)}</text>'
    )
    return [
        f'<g transform="translate({left} {top})">',
        f"<title>{_escaped(chr(10).join((box.title, *box.lines)))}</title>",
        f'<rect width="{_number(node.width)}" height="{_number(node.height)}" rx="{_number(ink.CORNER)}" '
        f'fill="{colours.fill}" stroke="{colours.border}" stroke-width="{ink.STROKE}"/>',
        f'<text x="{inner}" y="{_number(ink.FIRST_LINE)}" fill="{colours.title}" font-family="{SANS}" '
        f'font-size="{_number(ink.TITLE)}" font-weight="600">{_escaped(ink.cut(box.title))}</text>',
        *([kind] if ink.label(box) else []),
        *details,
        "</g>",
    ]


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _escaped(text: str) -> str:
    """Text that XML can hold: what means something to XML escaped, control characters replaced."""
    return escape("".join(c if c >= " " or c in "\t\n" else "\ufffd" for c in text))
