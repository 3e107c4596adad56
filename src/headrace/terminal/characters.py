"""A graph drawn with box-drawing characters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import permutations
from math import floor
from textwrap import TextWrapper

from rich.cells import cell_len, set_cell_size

from headrace.terminal.layout import Box, Edge, Layout, Node, Size, layout

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
GLYPHS = {
    UP: "│", DOWN: "│", UP | DOWN: "│", LEFT: "─", RIGHT: "─", LEFT | RIGHT: "─",
    DOWN | RIGHT: "╭", DOWN | LEFT: "╮", UP | RIGHT: "╰", UP | LEFT: "╯",
    UP | DOWN | RIGHT: "├", UP | DOWN | LEFT: "┤", LEFT | RIGHT | DOWN: "┬", LEFT | RIGHT | UP: "┴",
    UP | DOWN | LEFT | RIGHT: "┼",
}  # fmt: skip
NARROWEST, WIDEST = 16, 72
_WRAP = partial(
    TextWrapper,
    subsequent_indent="  ",
    max_lines=3,
    placeholder="…",
    break_long_words=False,
    break_on_hyphens=False,
    drop_whitespace=True,
)


def text(boxes: Sequence[Box], edges: Sequence[Edge], width: int = 80) -> str:
    """The graph as lines of at most `width` characters, as far as its boxes can be made to fit.

    >>> print(text([Box("a", "in"), Box("b", "out")], [("a", "b")]))
    ╭───────╮
    │  in   │
    ╰───┬───╯
        ▼
    ╭───────╮
    │  out  │
    ╰───────╯
    """
    if not boxes:
        return ""
    return _draw(_fitting(boxes, edges, width))


def _fitting(boxes: Sequence[Box], edges: Sequence[Edge], width: int) -> Layout:
    """The first layout that is narrow enough, else the narrowest; boxes are cut before layers are split."""
    narrowest: Layout | None = None
    for room, most in _compromises(len(boxes), min(WIDEST, width - 4)):
        drawn = layout(boxes, edges, size=partial(_size, room=room), most=most)
        if drawn.width <= width:
            return drawn
        if narrowest is None or drawn.width < narrowest.width:
            narrowest = drawn
    return narrowest or layout(boxes, edges)


def _compromises(count: int, widest: int) -> Iterator[tuple[int, int | None]]:
    for most in (None, *range(min(count, 6), 0, -1)):
        for room in (widest, 56, 48, 40, 34, 28, 24):
            if room <= widest:
                yield room, most
    yield NARROWEST, None
    yield min(NARROWEST, max(widest, 1)), 1


def _size(box: Box, room: int) -> Size:
    """An odd width, so that each box has a middle column."""
    inner = max(cell_len(box.title) + (2 if box.lines else 0), *(cell_len(line) for line in box.lines), 5)
    inner = min(inner, room) // 2 * 2 + 1
    return inner + 4, max(len(_wrapped(box, inner)), 1) + 2


@dataclass(frozen=True)
class _Net:
    """Links that share a bus: every one of `tops` leads to every one of `bottoms`; both are columns."""

    tops: tuple[tuple[int, int], ...]
    bottoms: tuple[tuple[int, bool], ...]

    @property
    def columns(self) -> list[int]:
        return [column for column, _ in (*self.tops, *self.bottoms)]

    @property
    def straight(self) -> bool:
        return len(set(self.columns)) == 1


@dataclass
class _Canvas:
    """Characters by row and column; lines of one net join, lines of two nets cross without joining."""

    cells: dict[tuple[int, int], str] = field(default_factory=dict)
    lines: dict[tuple[int, int], int] = field(default_factory=dict)

    def write(self, row: int, column: int, text: str) -> None:
        for character in text:
            self.cells[row, column] = character
            column += 1
            if cell_len(character) == 2:
                self.cells[row, column] = ""
                column += 1

    def draw(self, net: dict[tuple[int, int], int]) -> None:
        for spot, bits in net.items():
            there = self.lines.get(spot)
            if there is None or bits & (UP | DOWN):
                self.lines[spot] = bits

    def __str__(self) -> str:
        drawn = {spot: GLYPHS[bits] for spot, bits in self.lines.items()} | self.cells
        rows = []
        for row in range(max(row for row, _ in drawn) + 1):
            last = max((column for at, column in drawn if at == row), default=-1)
            rows.append("".join(drawn.get((row, column), " ") for column in range(last + 1)))
        return "\n".join(rows)


def _draw(drawn: Layout) -> str:
    canvas = _Canvas()
    columns = {id(node): floor(node.x) for layer in drawn.layers for node in layer}
    moved: dict[int, int] = {}
    top = 0
    for layer in drawn.layers:
        tall = int(max(node.height for node in layer))
        links = [link for link in drawn.links if link[0] in layer]
        nets = _nets(links, columns, moved, top)
        tracks = _tracks(nets)
        for node in layer:
            if node.box:
                _box(canvas, node.box, top, columns[id(node)], int(node.width))
        for column, row in {spot for net in nets for spot in net.tops}:
            if canvas.cells.get((row - 1, column)) == "─":
                canvas.write(row - 1, column, "┬")
        arrows = top + tall + max(tracks, default=-1) + 1
        for net, track in zip(nets, tracks, strict=True):
            _route(canvas, net, top + tall + track, arrows)
        top = arrows + 1
    return str(canvas)


def _box(canvas: _Canvas, box: Box, top: int, middle: int, width: int) -> None:
    inner, left = width - 4, middle - width // 2
    if box.lines:
        title = _cut(box.title, inner - 2)
        head = f"╭─ {title} " + "─" * (width - 5 - cell_len(title)) + "╮"
    else:
        head = "╭" + "─" * (width - 2) + "╮"
    canvas.write(top, left, head)
    title = _cut(box.title, inner)
    lines = _wrapped(box, inner) or [" " * ((inner - cell_len(title)) // 2) + title]
    for row, line in enumerate(lines, start=top + 1):
        canvas.write(row, left, f"│ {set_cell_size(_cut(line, inner), inner)} │")
    canvas.write(top + len(lines) + 1, left, "╰" + "─" * (width - 2) + "╯")


def _wrapped(box: Box, width: int) -> list[str]:
    """The details, each on three rows at most; what is still too long is cut."""
    rows: list[str] = []
    for line in box.lines:
        rows.extend(_WRAP(width).wrap(line))
    return rows


def _cut(line: str, width: int) -> str:
    """The line, with … where it had to be cut.

    >>> _cut("a long line", 6)
    'a lon…'
    """
    return line if cell_len(line) <= width else set_cell_size(line, width - 1).rstrip() + "…"


def _nets(
    links: list[tuple[Node, Node]], columns: dict[int, int], moved: dict[int, int], top: int
) -> list[_Net]:
    """One net for all nodes that lead to the same nodes; a node has a port of its own for each net."""
    leads: dict[int, list[Node]] = {}
    nodes: dict[int, Node] = {}
    for above, below in links:
        nodes[id(above)] = above
        leads.setdefault(id(above), []).append(below)
    groups: dict[frozenset[int], list[Node]] = {}
    for key, targets in leads.items():
        groups.setdefault(frozenset(id(node) for node in targets), []).append(nodes[key])
    ports = _ports(list(groups.values()), [leads[id(group[0])] for group in groups.values()], columns, moved)
    nets = []
    for number, group in enumerate(groups.values()):
        tops = tuple(
            (moved.get(id(node), columns[id(node)]), top + (int(node.height) if node.box else 0))
            for node in group
        )
        targets = leads[id(group[0])]
        nets.append(_Net(tops, tuple((ports[number, id(node)], node.box is not None) for node in targets)))
        moved.update({id(node): ports[number, id(node)] for node in targets if node.box is None})
    return nets


def _ports(
    groups: list[list[Node]], targets: list[list[Node]], columns: dict[int, int], moved: dict[int, int]
) -> dict[tuple[int, int], int]:
    """The column in which each net enters each of its targets, clear of where other nets start."""
    exits = [{moved.get(id(node), columns[id(node)]) for node in group} for group in groups]
    ports: dict[tuple[int, int], int] = {}
    for node in {id(node): node for nodes in targets for node in nodes}.values():
        entering = [number for number, nodes in enumerate(targets) if any(node is other for other in nodes)]
        entering.sort(key=lambda number: sum(exits[number]) / len(exits[number]))
        middle = columns[id(node)]
        step = max(1, min(4, (int(node.width) - 4) // max(len(entering) - 1, 1))) if node.box else 0
        for place, number in enumerate(entering):
            wish = middle + step * (2 * place - len(entering) + 1) // 2
            only = next(iter(exits[number])) if len(exits[number]) == len(targets[number]) == 1 else None
            if (
                only is not None
                and node.box
                and len(entering) == 1
                and abs(only - middle) <= node.width // 2 - 2
            ):
                wish = only
            foreign = set().union(*(other for at, other in enumerate(exits) if at != number))
            foreign |= {port for (_, other), port in ports.items() if other == id(node)}
            shifts = (0, 1, -1, 2, -2, 3, -3)
            ports[number, id(node)] = next((wish + s for s in shifts if wish + s not in foreign), wish)
    return ports


def _tracks(nets: list[_Net]) -> list[int]:
    """The row of each net's bus (-1 where it needs none), in the order with the fewest crossings."""
    bent = [at for at, net in enumerate(nets) if not net.straight]
    orders = (
        permutations(bent) if len(bent) <= 5 else [tuple(sorted(bent, key=lambda at: min(nets[at].columns)))]
    )
    best: list[int] = []
    fewest: tuple[int, int] | None = None
    for order in orders:
        tracks = _packed(nets, order)
        cost = (_crossings(nets, tracks), max(tracks, default=-1))
        if fewest is None or cost < fewest:
            best, fewest = tracks, cost
    return best


def _packed(nets: list[_Net], order: Sequence[int]) -> list[int]:
    tracks = [-1] * len(nets)
    for at in order:
        low, high = min(nets[at].columns), max(nets[at].columns)
        taken = [
            tracks[other]
            for other in order
            if tracks[other] >= 0
            and min(nets[other].columns) <= high + 1
            and low <= max(nets[other].columns) + 1
        ]
        tracks[at] = max(taken, default=-1) + 1
    return tracks


def _crossings(nets: list[_Net], tracks: list[int]) -> int:
    total = 0
    for net, track in zip(nets, tracks, strict=True):
        low, high = min(net.columns), max(net.columns)
        for other, level in zip(nets, tracks, strict=True):
            if other is net or track < 0:
                continue
            falling = [column for column, _ in (other.tops if level > track or level < 0 else other.bottoms)]
            total += sum(1 for column in falling if low <= column <= high)
    return total


def _route(canvas: _Canvas, net: _Net, bus: int, arrows: int) -> None:
    spots: dict[tuple[int, int], int] = {}

    def mark(row: int, column: int, bits: int) -> None:
        spots[row, column] = spots.get((row, column), 0) | bits

    def fall(column: int, first: int, last: int) -> None:
        for row in range(first, last):
            mark(row, column, DOWN)
            mark(row + 1, column, UP)

    for column, row in net.tops:
        mark(row, column, UP)
        fall(column, row, arrows if net.straight else bus)
    if not net.straight:
        low, high = min(net.columns), max(net.columns)
        for column in range(low, high):
            mark(bus, column, RIGHT)
            mark(bus, column + 1, LEFT)
        for column, _ in net.bottoms:
            fall(column, bus, arrows)
    for column, pointed in net.bottoms:
        mark(arrows, column, DOWN)
        if pointed:
            canvas.write(arrows, column, "▼")
    canvas.draw(spots)
