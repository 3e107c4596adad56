"""Plots as SVG: bars side by side, and lines, both readable on a light and on a dark page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

COLOURS = ("#0b7285", "#e8590c", "#5f3dc4", "#2b8a3e", "#c2255c", "#846358", "#868e96", "#1971c2", "#f08c00")
WIDTH, LEFT, BAR, GAP = 760, 190, 13, 14

Points = Sequence[tuple[float, float]]


def bars(groups: Mapping[str, Mapping[str, float]], unit: str) -> str:
    """Groups of bars, on a logarithmic scale; a system has its colour in all of them."""
    names = list(dict.fromkeys(name for group in groups.values() for name in group))
    values = [value for group in groups.values() for value in group.values() if value > 0]
    if not values:
        return _svg([], 40)
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)) + 0.15)
    room = WIDTH - LEFT - 70
    parts, y = [], 10
    for label, group in groups.items():
        parts.append(_text(LEFT - 8, y + len(group) * BAR / 2 + 4, label, "end"))
        for name, value in group.items():
            length = max(1.0, room * (math.log10(value) - low) / max(1, high - low)) if value > 0 else 1.0
            colour = COLOURS[names.index(name) % len(COLOURS)]
            parts.append(
                f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR - 2}" fill="{colour}"/>'
            )
            parts.append(_text(LEFT + length + 4, y + BAR - 3, short(value), "start", 10))
            y += BAR
        y += GAP
    return _svg([*parts, *_legend(names, y, unit + ", logarithmic")], y + 20 * (len(names) // 3 + 2))


def lines(series: Mapping[str, Points], across: str, unit: str) -> str:
    """Lines over a logarithmic x axis and a y axis from 0."""
    every = [point for points in series.values() for point in points]
    if not every:
        return _svg([], 40)
    top = max(y for _x, y in every) * 1.1 or 1.0
    first, last = (math.log10(max(1e-9, pick(x for x, _y in every))) for pick in (min, max))
    room, height, left = WIDTH - 110, 260, 80
    parts = []
    for step in range(5):
        y = 10 + height * step / 4
        parts.append(f'<line x1="{left}" x2="{left + room}" y1="{y}" y2="{y}" stroke="#8884"/>')
        parts.append(_text(left - 6, y + 4, short(top * (4 - step) / 4), "end", 10))
    for at, points in enumerate(series.values()):
        places = [
            (
                left + room * (math.log10(max(1e-9, x)) - first) / max(1e-9, last - first),
                10 + height * (1 - y / top),
            )
            for x, y in points
        ]
        colour = COLOURS[at % len(COLOURS)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
    for x in sorted({x for x, _y in every}):
        place = left + room * (math.log10(max(1e-9, x)) - first) / max(1e-9, last - first)
        parts.append(_text(place, height + 26, short(x), "middle", 10))
    legend = _legend(list(series), height + 40, f"{unit}, over {across}")
    return _svg([*parts, *legend], height + 60 + 20 * (len(series) // 3 + 1))


def short(value: float) -> str:
    """A number in few characters.

    >>> short(1_250_000), short(32_000), short(7.25), short(0.034)
    ('1.25 M', '32 k', '7.25', '0.034')
    """
    for size, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def _legend(names: Sequence[str], y: float, unit: str) -> list[str]:
    parts = [_text(10, y + 12, unit, "start", 11)]
    for at, name in enumerate(names):
        x, row = 10 + 250 * (at % 3), y + 24 + 18 * (at // 3)
        parts.append(f'<rect x="{x}" y="{row}" width="10" height="10" fill="{COLOURS[at % len(COLOURS)]}"/>')
        parts.append(_text(x + 15, row + 9, name, "start", 11))
    return parts


def _text(x: float, y: float, text: str, anchor: str, size: int = 12) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="#777"'
        f' font-family="sans-serif">{escape(text)}</text>'
    )


def _svg(parts: Sequence[str], height: float) -> str:
    body = "\n".join(parts)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}">\n{body}\n</svg>\n'
