"""A graph drawn as PNG, with Pillow."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

from headrace.errors import SetupError
from headrace.terminal import ink
from headrace.terminal.layout import Box, Edge, Layout, Node

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

SANS = ("DejaVuSans-Bold.ttf", "LiberationSans-Bold.ttf", "Arial Bold.ttf", "arialbd.ttf")
PLAIN = ("DejaVuSans.ttf", "LiberationSans-Regular.ttf", "Arial.ttf", "arial.ttf")
MONO = ("DejaVuSansMono.ttf", "LiberationMono-Regular.ttf", "Menlo.ttc", "consola.ttf")
FINER = 2
STEPS = 32


def png(boxes: Sequence[Box], edges: Sequence[Edge], *, scale: int = 2) -> bytes:
    """The graph as a PNG file on white, with `scale` dots for each pixel of the SVG."""
    try:
        from PIL import Image, ImageDraw
    except ImportError:
        raise SetupError(
            "a PNG is drawn by Pillow, which is not installed",
            hint="pip install 'headrace[picture]', or write an .svg",
        ) from None
    drawn = ink.arranged(boxes, edges)
    width, height = (round((length + 2 * ink.MARGIN) * scale) for length in (drawn.width, drawn.height))
    image = Image.new("RGB", (width * FINER, height * FINER), "white")
    _Pen(ImageDraw.Draw(image), scale * FINER).picture(drawn)
    written = BytesIO()
    image.resize((width, height), Image.Resampling.LANCZOS).save(written, "PNG", optimize=True)
    return written.getvalue()


class _Pen:
    """Draws finer than the picture will be, so that the edges come out smooth."""

    def __init__(self, draw: ImageDraw, scale: float) -> None:
        self._draw = draw
        self._scale = scale
        self._fonts: dict[tuple[tuple[str, ...], float], Any] = {}

    def picture(self, drawn: Layout) -> None:
        curves = ink.curves(drawn)
        for curve in curves:
            self._curve(curve)
        for curve in curves:
            if curve.pointed:
                self._head(curve)
        for layer in drawn.layers:
            for node in layer:
                if node.box:
                    self._box(node, node.box)

    def _at(self, x: float, y: float) -> tuple[float, float]:
        return (x + ink.MARGIN) * self._scale, (y + ink.MARGIN) * self._scale

    def _curve(self, curve: ink.Curve) -> None:
        points = [self._at(curve.x, curve.y)]
        for step in range(STEPS + 1):
            t = step / STEPS
            near, far = (1 - t) ** 3 + 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2 + t**3
            bulge = 3 * (1 - t) ** 2 * t + 3 * (1 - t) * t**2
            y = (1 - t) ** 3 * curve.bend + bulge * curve.middle + t**3 * curve.stop
            points.append(self._at(near * curve.x + far * curve.end_x, y))
        self._draw.line(points, fill=ink.EDGE, width=round(ink.STROKE * self._scale), joint="curve")

    def _head(self, curve: ink.Curve) -> None:
        x, y, half = curve.end_x, curve.end_y, ink.HEAD_WIDTH / 2
        corners = [(x, y), (x - half, y - ink.HEAD_LENGTH), (x + half, y - ink.HEAD_LENGTH)]
        self._draw.polygon([self._at(*corner) for corner in corners], fill=ink.EDGE)

    def _box(self, node: Node, box: Box) -> None:
        colours = ink.colours(box)
        left, right = node.x - node.width / 2, node.x + node.width / 2
        self._draw.rounded_rectangle(
            [self._at(left, node.y), self._at(right, node.y + node.height)],
            radius=ink.CORNER * self._scale,
            fill=colours.fill,
            outline=colours.border,
            width=round(ink.STROKE * self._scale),
        )
        inner, base = left + ink.PADDING, node.y + ink.FIRST_LINE
        self._text(inner, base, ink.cut(box.title), colours.title, SANS, ink.TITLE)
        self._text(right - ink.PADDING, base - 1, ink.label(box), colours.title, PLAIN, ink.KIND, anchor="rs")
        for row, line in enumerate(box.lines, start=1):
            self._text(inner, base + 2 + ink.LINE * row, ink.cut(line), ink.DETAIL_INK, MONO, ink.DETAIL)

    def _text(
        self,
        x: float,
        y: float,
        text: str,
        fill: str,
        names: tuple[str, ...],
        size: float,
        *,
        anchor: str = "ls",
    ) -> None:
        self._draw.text(self._at(x, y), text, fill=fill, font=self._font(names, size), anchor=anchor)

    def _font(self, names: tuple[str, ...], size: float) -> Any:
        if (names, size) not in self._fonts:
            self._fonts[names, size] = _font(names, size * self._scale)
        return self._fonts[names, size]


def _font(names: tuple[str, ...], size: float) -> Any:
    """The first of the fonts that this machine has, else the one that Pillow carries."""
    from PIL import ImageFont

    for name in names:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return ImageFont.load_default(size)
