"""Layers, order and places of a graph."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.terminal.characters import text
from headrace.terminal.layout import Box, Spacing, layout


def boxes(names: str) -> list[Box]:
    return [Box(name, name * 5) for name in names]


def layers(names: str, edges: list[tuple[str, str]], most: int | None = None) -> list[str]:
    drawn = layout(boxes(names), edges, most=most)
    return ["".join(node.box.id if node.box else "|" for node in layer) for layer in drawn.layers]


def test_a_chain_is_one_box_a_layer():
    assert layers("abc", [("a", "b"), ("b", "c")]) == ["a", "b", "c"]


def test_a_source_stands_right_above_its_first_child():
    assert layers("abcd", [("a", "b"), ("b", "c"), ("d", "c")]) == ["a", "bd", "c"]


def test_a_long_edge_passes_the_layers_between():
    assert layers("abc", [("a", "b"), ("b", "c"), ("a", "c")]) == ["a", "b|", "c"]


def test_order_avoids_crossings():
    assert layers("abcd", [("a", "d"), ("b", "c")]) in (["ab", "dc"], ["ba", "cd"])


def test_at_most_so_many_boxes_stand_in_a_layer():
    assert layers("abcdef", [("a", to) for to in "bcdef"], most=2) == ["a", "bc|", "de|", "f"]


def test_the_middle_child_stands_right_below():
    a, (b, c, d) = layout(boxes("abcd"), [("a", to) for to in "bcd"]).layers

    assert c.x == a[0].x
    assert b.x < c.x < d.x


@pytest.mark.parametrize(
    ("edges", "message"),
    [([("a", "b"), ("b", "a")], "circle"), ([("a", "z")], "'z', which is no box")],
)
def test_what_is_no_graph_is_refused(edges, message):
    with pytest.raises(ValueError, match=message):
        layout(boxes("ab"), edges)


def test_equal_ids_are_refused():
    with pytest.raises(ValueError, match="same id"):
        layout(boxes("aa"), [])


def test_nothing_takes_no_room():
    drawn = layout([], [])

    assert (drawn.layers, drawn.width, drawn.height) == ((), 0, 0)


@st.composite
def graphs(draw):
    count = draw(st.integers(1, 14))
    found = [Box(str(at), "t" * draw(st.integers(1, 30))) for at in range(count)]
    pairs = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))
    edges = {
        (str(min(pair)), str(max(pair))) for pair in draw(st.lists(pairs, max_size=20)) if pair[0] != pair[1]
    }
    return found, sorted(edges)


@settings(max_examples=150, deadline=None)
@given(graphs(), st.sampled_from([None, 1, 3]))
def test_no_boxes_overlap_and_all_edges_lead_down(graph, most):
    drawn = layout(*graph, spacing=Spacing(3, 2, 1), most=most)

    assert sorted(node.box.id for layer in drawn.layers for node in layer if node.box) == sorted(
        b.id for b in graph[0]
    )
    assert len(drawn.paths) == len(graph[1])
    for layer in drawn.layers:
        for left, right in pairwise(layer):
            assert right.x - left.x >= (left.width + right.width) / 2 + 3 - 1e-6
        for node in layer:
            assert node.x - node.width / 2 >= -1e-6
            assert node.x + node.width / 2 <= drawn.width + 1e-6
    for above, below in drawn.links:
        assert below.layer == above.layer + 1
        assert below.y >= above.y + above.height + 2 - 1e-6


@settings(max_examples=100, deadline=None)
@given(graphs())
def test_every_box_and_every_arrow_is_drawn(graph):
    drawn = text(*graph, 200)

    assert drawn.count("╰─") >= len(graph[0])
    assert drawn.count("▼") >= len({target for _, target in graph[1]})
