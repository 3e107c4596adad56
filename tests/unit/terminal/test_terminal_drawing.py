"""The three pens."""

from __future__ import annotations

import io
import sys
from textwrap import dedent
from xml.etree import ElementTree

import pytest

from headrace.errors import SetupError
from headrace.terminal.drawing import Box, png, svg, text

SVG = "{http://www.w3.org/2000/svg}"
FAN = ([Box("r", "rate", ("10 rows/s",), "source"), *(Box(n, n, (), "sink") for n in ("one", "two", "six"))],
       [("r", "one"), ("r", "two"), ("r", "six")])  # fmt: skip


def picture(drawn: str) -> str:
    return dedent(drawn).strip("\n")


def test_a_chain():
    boxes = [Box("a", "read", ("kafka topic alarms",), "source"), Box("b", "console", (), "sink")]

    assert text(boxes, [("a", "b")]) == picture("""
        ╭─ read ──────────────╮
        │ kafka topic alarms  │
        ╰──────────┬──────────╯
                   ▼
              ╭─────────╮
              │ console │
              ╰─────────╯
    """)


def test_a_fan_out():
    assert text(*FAN) == picture("""
                  ╭─ rate ────╮
                  │ 10 rows/s │
                  ╰─────┬─────╯
            ╭───────────┼───────────╮
            ▼           ▼           ▼
        ╭───────╮   ╭───────╮   ╭───────╮
        │  one  │   │  two  │   │  six  │
        ╰───────╯   ╰───────╯   ╰───────╯
    """)


def test_a_union():
    boxes = [Box("a", "north"), Box("b", "south", ("csv", "header"), "source"), Box("u", "union")]

    assert text(boxes, [("a", "u"), ("b", "u")]) == picture("""
        ╭───────╮   ╭─ south ─╮
        │ north │   │ csv     │
        ╰───┬───╯   │ header  │
            │       ╰────┬────╯
            ╰──────┬─────╯
                   ▼
               ╭───────╮
               │ union │
               ╰───────╯
    """)


def test_a_diamond():
    boxes = [Box(name, name) for name in ("read", "hot", "cold", "union")]
    edges = [("read", "hot"), ("read", "cold"), ("hot", "union"), ("cold", "union")]

    assert text(boxes, edges) == picture("""
              ╭───────╮
              │ read  │
              ╰───┬───╯
            ╭─────┴─────╮
            ▼           ▼
        ╭───────╮   ╭───────╮
        │  hot  │   │ cold  │
        ╰───┬───╯   ╰───┬───╯
            ╰─────┬─────╯
                  ▼
              ╭───────╮
              │ union │
              ╰───────╯
    """)


def test_a_long_edge_passes_beside_the_boxes():
    boxes = [Box(name, name) for name in "abc"]

    assert text(boxes, [("a", "b"), ("b", "c"), ("a", "c")]) == picture("""
            ╭───────╮
            │   a   │
            ╰───┬───╯
            ╭───┴───╮
            ▼       │
        ╭───────╮   │
        │   b   │   │
        ╰───┬───╯   │
            ╰───┬───╯
                ▼
            ╭───────╮
            │   c   │
            ╰───────╯
    """)


def test_lines_that_cross_do_not_join():
    drawn = text([Box(n, n) for n in "abcde"], [("a", "c"), ("a", "d"), ("b", "d"), ("b", "e"), ("a", "e")])

    assert "─│─" in drawn
    assert drawn.count("▼") == 5


@pytest.mark.parametrize("width", [80, 120])
def test_many_wide_sinks_fit_into_the_width(width):
    boxes = [
        Box("r", "read"),
        *(Box(str(n), f"sink {n}", (f"kafka topic number-{n}-of-many",)) for n in range(8)),
    ]

    drawn = text(boxes, [("r", str(n)) for n in range(8)], width)

    assert max(len(line) for line in drawn.splitlines()) <= width
    assert all(f"number-{n}-of-many" in drawn for n in range(8))


def test_long_lines_are_wrapped_and_then_cut():
    drawn = text([Box("a", "title " * 20, ("word " * 80,))], [], 40)

    assert max(len(line) for line in drawn.splitlines()) <= 40
    assert drawn.count("…") == 2


def test_wide_characters_keep_the_borders_straight():
    assert text([Box("a", "東京")], []).splitlines()[1] == "│ 東京  │"


def test_nothing_is_drawn_as_nothing():
    assert text([], []) == ""


def test_svg_escapes_and_has_titles():
    drawn = ElementTree.fromstring(svg([Box("a", "<b> & 'c'", ("x < 1\x00",), "state")], [], title="a & b"))

    assert drawn.findtext(f"{SVG}title") == "a & b"
    assert drawn.findtext(f"{SVG}g/{SVG}g/{SVG}title") == "<b> & 'c'\nx < 1\ufffd"
    assert drawn.find(f".//{SVG}rect").get("rx") == "9"


def test_svg_has_a_line_an_edge_and_no_outside_reference():
    drawn = svg(*FAN)

    assert drawn.count("C") >= 3
    assert drawn.count(" -8h8z") == 3
    assert drawn.count("http") == 1
    assert "url(" not in drawn


def test_png_has_twice_the_size_of_the_svg():
    image = pytest.importorskip("PIL.Image")
    drawn = ElementTree.fromstring(svg(*FAN))
    picture = image.open(io.BytesIO(png(*FAN)))

    assert picture.format == "PNG"
    assert picture.width == pytest.approx(2 * float(drawn.get("width")), abs=1)
    assert picture.getcolors(1_000_000) is not None


def test_png_without_pillow_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)

    with pytest.raises(SetupError, match=r"headrace\[picture\]"):
        png(*FAN)
