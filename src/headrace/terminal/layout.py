"""Where the boxes of a drawn graph stand: layers from top to bottom, few crossings, no overlaps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

Edge = tuple[str, str]
Size = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """One part of a job: a title, details below it, and what it is (source, step, state, sink)."""

    id: str
    title: str
    lines: tuple[str, ...] = ()
    kind: str = "step"


@dataclass(frozen=True)
class Node:
    """A box in its place, or (without a box) the spot where a long edge passes a layer; `x` is the middle."""

    box: Box | None
    layer: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Layout:
    """The graph in its place: nodes by layer, and every edge as the nodes that it passes."""

    layers: tuple[tuple[Node, ...], ...]
    paths: tuple[tuple[Node, ...], ...]
    width: float
    height: float

    @property
    def links(self) -> list[tuple[Node, Node]]:
        """Every stretch of an edge between two layers."""
        return list(dict.fromkeys(link for path in self.paths for link in pairwise(path)))


@dataclass(frozen=True)
class Spacing:
    """The room between neighbours, between layers, and that a passing edge takes."""

    across: float = 3
    down: float = 2
    passing: float = 1


def in_characters(box: Box) -> Size:
    """The size of a box drawn with characters."""
    return max(len(text) for text in (box.title, *box.lines)) + 4, len(box.lines) + 2


def layout(
    boxes: Sequence[Box],
    edges: Sequence[Edge],
    *,
    size: Callable[[Box], Size] = in_characters,
    spacing: Spacing = Spacing(),
    most: int | None = None,
) -> Layout:
    """Place a graph without circles; at most `most` boxes stand in one layer.

    >>> [len(layer) for layer in layout([Box("a", "a"), Box("b", "b")], [("a", "b")]).layers]
    [1, 1]
    """
    knots = _knots(boxes, list(dict.fromkeys(edges)), most)
    order = _order(knots)
    sizes = [size(knot.box) if knot.box else (spacing.passing, 0.0) for knot in knots.all]
    return _placed(knots, order, sizes, _across(knots, order, sizes, spacing), spacing)


@dataclass(frozen=True)
class _Knot:
    box: Box | None
    rank: int


@dataclass(frozen=True)
class _Knots:
    """The graph with a knot in every layer that edges pass (one for all of a box), so that links span one."""

    all: list[_Knot]
    paths: list[list[int]]
    up: dict[int, list[int]]
    down: dict[int, list[int]]


def _knots(boxes: Sequence[Box], edges: Sequence[Edge], most: int | None) -> _Knots:
    number = {box.id: at for at, box in enumerate(boxes)}
    if len(number) != len(boxes):
        raise ValueError("two boxes of the graph have the same id")
    unknown = [end for edge in edges for end in edge if end not in number]
    if unknown:
        raise ValueError(f"an edge of the graph names '{unknown[0]}', which is no box")
    links = [(number[source], number[target]) for source, target in edges]
    ranks = _ranks(len(boxes), links, most)
    knots = [_Knot(box, rank) for box, rank in zip(boxes, ranks, strict=True)]
    passing: dict[tuple[int, int], int] = {}
    paths = []
    for source, target in links:
        for rank in range(ranks[source] + 1, ranks[target]):
            if (source, rank) not in passing:
                passing[source, rank] = len(knots)
                knots.append(_Knot(None, rank))
        passed = [passing[source, rank] for rank in range(ranks[source] + 1, ranks[target])]
        paths.append([source, *passed, target])
    up: dict[int, list[int]] = {at: [] for at in range(len(knots))}
    down: dict[int, list[int]] = {at: [] for at in range(len(knots))}
    for above, below in dict.fromkeys(link for path in paths for link in pairwise(path)):
        down[above].append(below)
        up[below].append(above)
    return _Knots(knots, paths, up, down)


def _ranks(count: int, links: list[tuple[int, int]], most: int | None) -> list[int]:
    """The layer of each box: below all its parents; a source stands right above its first child."""
    ranks = [0] * count
    held = [0] * (2 * count + 1)
    waiting = {at: sum(1 for _, target in links if target == at) for at in range(count)}
    ready = [at for at in range(count) if not waiting[at]]
    done: list[int] = []
    while ready:
        at = ready.pop(0)
        while most is not None and held[ranks[at]] >= most:
            ranks[at] += 1
        held[ranks[at]] += 1
        done.append(at)
        for child in (target for source, target in links if source == at):
            ranks[child] = max(ranks[child], ranks[at] + 1)
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    if len(done) < count:
        raise ValueError("the graph has a circle, so that it has no top and no bottom")
    _lower_sources(ranks, held, links, most)
    return ranks


def _lower_sources(ranks: list[int], held: list[int], links: list[tuple[int, int]], most: int | None) -> None:
    for at in set(range(len(ranks))) - {target for _, target in links}:
        below = min((ranks[target] for source, target in links if source == at), default=ranks[at] + 1) - 1
        if below > ranks[at] and (most is None or held[below] < most):
            held[ranks[at]] -= 1
            held[below] += 1
            ranks[at] = below


Order = list[list[int]]


def _order(knots: _Knots) -> Order:
    """The knots of each layer from left to right: barycenter sweeps, and the best of them."""
    order = _first_order(knots)
    best, fewest = order, _crossings(order, knots)
    for sweep in range(12):
        if not fewest:
            break
        order = _swept(order, knots.up if sweep % 2 == 0 else knots.down, downwards=sweep % 2 == 0)
        crossings = _crossings(order, knots)
        if crossings < fewest:
            best, fewest = order, crossings
    return best


def _first_order(knots: _Knots) -> Order:
    order: Order = [[] for _ in range(max((knot.rank for knot in knots.all), default=-1) + 1)]
    seen: set[int] = set()
    waiting = [at for at in reversed(range(len(knots.all))) if not knots.up[at]]
    while waiting:
        at = waiting.pop()
        if at not in seen:
            seen.add(at)
            order[knots.all[at].rank].append(at)
            waiting.extend(reversed(knots.down[at]))
    return order


def _swept(order: Order, neighbours: dict[int, list[int]], *, downwards: bool) -> Order:
    swept = [list(layer) for layer in order]
    place = {at: position for layer in swept for position, at in enumerate(layer)}
    for layer in swept if downwards else reversed(swept):
        middle = {at: _mean([place[near] for near in neighbours[at]], place[at]) for at in layer}
        layer.sort(key=lambda at: middle[at])
        place.update({at: position for position, at in enumerate(layer)})
    return swept


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _crossings(order: Order, knots: _Knots) -> int:
    place = {at: position for layer in order for position, at in enumerate(layer)}
    total = 0
    for layer in order:
        ends = [(place[at], place[below]) for at in layer for below in knots.down[at]]
        total += sum(1 for a, b in ends for c, d in ends if a < c and b > d)
    return total


def _across(knots: _Knots, order: Order, sizes: list[Size], spacing: Spacing) -> list[float]:
    """The middle of each knot: as near to its neighbours as the room allows."""
    x = [0.0] * len(knots.all)
    apart = [
        [(sizes[a][0] + sizes[b][0]) / 2 + spacing.across for a, b in pairwise(layer)] for layer in order
    ]
    both = {at: knots.up[at] + knots.down[at] for at in knots.up}
    for neighbours in [knots.up, knots.down] * 4 + [both, both] * 6 + [knots.up, knots.down]:
        layers = range(len(order))
        for rank in layers if neighbours is not knots.down else reversed(layers):
            layer = order[rank]
            pulls = [_pull(at, neighbours[at], knots, x) for at in layer]
            placed = _spread([wish for wish, _ in pulls], apart[rank], [weight for _, weight in pulls])
            for at, middle in zip(layer, placed, strict=True):
                x[at] = middle
    return x


def _pull(at: int, neighbours: list[int], knots: _Knots, x: list[float]) -> tuple[float, float]:
    """Where a knot would stand, and how much it wants to: long edges most, so that they run straight."""
    passing = [near for near in neighbours if knots.all[at].box is None is knots.all[near].box]
    if passing:
        return sum(x[near] for near in passing) / len(passing), 400.0
    if not neighbours:
        return x[at], 0.1
    return median(x[near] for near in neighbours), float(len(neighbours))


def _spread(wishes: list[float], apart: list[float], weights: list[float]) -> list[float]:
    """The places nearest to the wishes (least squares) that keep neighbours `apart`.

    >>> _spread([0, 0, 0], [2, 2], [1, 1, 1])
    [-2.0, 0.0, 2.0]
    """
    offsets = [0.0]
    for gap in apart:
        offsets.append(offsets[-1] + gap)
    pools: list[tuple[float, float, int]] = []
    for wish, offset, weight in zip(wishes, offsets, weights, strict=False):
        pools.append((wish - offset, weight, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (a, v, m), (b, w, n) = pools[-2:]
            pools[-2:] = [((a * v + b * w) / (v + w), v + w, m + n)]
    levels = [level for level, _, count in pools for _ in range(count)]
    return [level + offset for level, offset in zip(levels, offsets, strict=False)]


def _placed(knots: _Knots, order: Order, sizes: list[Size], x: list[float], spacing: Spacing) -> Layout:
    left = min((x[at] - sizes[at][0] / 2 for layer in order for at in layer), default=0.0)
    right = max((x[at] + sizes[at][0] / 2 for layer in order for at in layer), default=0.0)
    nodes: dict[int, Node] = {}
    top = 0.0
    for rank, layer in enumerate(order):
        tall = max(sizes[at][1] for at in layer)
        for at in layer:
            box, (width, height) = knots.all[at].box, sizes[at]
            nodes[at] = Node(box, rank, x[at] - left, top, width, height if box else tall)
        top += tall + spacing.down
    layers = tuple(tuple(nodes[at] for at in layer) for layer in order)
    paths = tuple(tuple(nodes[at] for at in path) for path in knots.paths)
    return Layout(layers, paths, right - left, max(top - spacing.down, 0.0))
