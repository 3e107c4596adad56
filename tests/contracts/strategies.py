"""Cases drawn by Hypothesis: any window with any trigger, and rows that hit its boundaries.

The simplest choice of all is rows of one key in order, five seconds apart, and a tumbling window without a
trigger; a case that fails shrinks towards that.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from contracts.cases import Case, Spec
from reference.records import Drain, Event, Mark, Row, Tick

KINDS = (
    "tumbling",
    "sliding",
    "cumulative",
    "session",
    "gaps",
    "trailing",
    "count",
    "last",
    "delta",
    "ended",
    "begun",
    "bracketed",
    "all_time",
)
"""`gaps` is a session whose rows bring its gap, `last` a count window that overlaps."""
TIMELY = KINDS[:6]
"""Those that a time ends."""
LEVEL = 1000
"""A row's value is a level times this, and its number: unlike all others, and far from those of other levels."""


def _aligned(size: int, every: int, offset: int = 0) -> Spec:
    return {"kind": "aligned", "size": size, "every": every, "offset": offset}


WINDOWS: dict[str, list[Spec]] = {
    "tumbling": [_aligned(10, 10), _aligned(10, 10, 3), _aligned(20, 20), _aligned(5, 5)],
    "sliding": [_aligned(10, 5), _aligned(20, 5), _aligned(15, 10)],
    "cumulative": [{"kind": "cumulative", "step": step, "size": size} for step, size in ((5, 15), (10, 20))],
    "session": [{"kind": "session", "gap": gap} for gap in (10, 5)],
    "gaps": [{"kind": "session", "gap": None}],
    "trailing": [{"kind": "trailing", "size": size} for size in (10, 5)],
    "count": [{"kind": "count", "n": n, "every": n} for n in (2, 3, 4, 1)],
    "last": [{"kind": "count", "n": n, "every": every} for n, every in ((2, 1), (3, 2), (4, 2), (5, 2))],
    "delta": [{"kind": "delta", "threshold": threshold} for threshold in (1000.0, 1500.0)],
    "ended": [{"kind": "punctuated", "begin": False, "end": True}],
    "begun": [{"kind": "punctuated", "begin": True, "end": False}],
    "bracketed": [{"kind": "punctuated", "begin": True, "end": True}],
    "all_time": [{"kind": "all_time"}],
}


# Triggers.


def simple_triggers() -> st.SearchStrategy[Spec]:
    return st.one_of(
        st.just({"kind": "each_row"}),
        st.sampled_from((2, 1, 3)).map(lambda n: {"kind": "after_count", "n": n}),
        st.sampled_from((0, 1)).map(lambda number: {"kind": "when", "predicate": number}),
        st.sampled_from((10, 15)).map(lambda length: {"kind": "every", "every": length}),
        st.sampled_from((10, 3)).map(lambda length: {"kind": "after_delay", "delay": length}),
    )


def _composed(parts: st.SearchStrategy[Spec]) -> st.SearchStrategy[Spec]:
    several = st.lists(parts, min_size=1, max_size=3)
    return st.one_of(
        parts.map(lambda part: {"kind": "repeat", "part": part}),
        several.map(lambda found: {"kind": "any_of", "parts": found}),
        several.map(lambda found: {"kind": "all_of", "parts": found}),
        several.map(lambda found: {"kind": "in_order", "parts": found}),
        st.tuples(parts, parts).map(lambda both: {"kind": "until", "part": both[0], "end": both[1]}),
    )


def row_and_clock_triggers() -> st.SearchStrategy[Spec]:
    """Triggers that do not go by the watermark, alone or composed."""
    return st.recursive(simple_triggers(), _composed, max_leaves=4)


def phases() -> st.SearchStrategy[Spec | None]:
    return st.one_of(st.none(), row_and_clock_triggers(), st.just({"kind": "never"}))


def watermark_triggers() -> st.SearchStrategy[Spec]:
    alone = st.tuples(phases(), phases()).map(
        lambda both: {"kind": "at_watermark", "early": both[0], "late": both[1]}
    )
    return st.one_of(alone, alone, st.recursive(st.one_of(alone, simple_triggers()), _composed, max_leaves=3))


# Windows.


@st.composite
def specs(
    draw: st.DrawFn, kinds: tuple[str, ...] = KINDS, on: tuple[str, ...] = ("event",), partitions: int = 1
) -> Spec:
    """A window as the API lets it be built; `on` are the clocks that windows of time may go by."""
    kind = draw(st.sampled_from(kinds))
    clock = draw(st.sampled_from(on)) if kind in TIMELY else "event"
    timely = kind in TIMELY and clock != "processing"
    lateness = draw(st.sampled_from((0, 5, 20))) if timely else 0
    triggers = watermark_triggers() if timely else row_and_clock_triggers()
    trigger = draw(st.one_of(st.none(), triggers))
    # Retracting twice as often: it is where what was told before has to be remembered.
    said = st.sampled_from(("retracting", *ACCUMULATIONS))
    accumulation = "accumulating" if trigger is None else draw(said)
    if partitions > 1 and kind in ("session", "gaps"):
        trigger, accumulation, lateness = _settled(trigger, lateness)
    plain = trigger is None or trigger == PLAIN
    final = plain and accumulation == "accumulating" and kind != "all_time" and draw(st.booleans())
    return {
        "window": draw(st.sampled_from(WINDOWS[kind])),
        "on": clock,
        "lateness": lateness,
        "late": draw(st.sampled_from(("keep", "keep", "drop"))) if trigger is not None else "keep",
        "trigger": trigger,
        "accumulation": accumulation,
        "final_only": final,
        "pane": trigger is not None,
        "op": accumulation == "retracting",
    }


ACCUMULATIONS = ("accumulating", "discarding", "retracting")
PLAIN: Spec = {"kind": "at_watermark", "early": None, "late": None}


def _settled(trigger: Spec | None, lateness: int) -> tuple[Spec | None, str, int]:
    """What makes the final table of sessions the same however shards hear of several partitions' watermarks.

    A session that was told and then grows leaves its old row behind, unless it is taken back.
    """
    if trigger is None:
        return None, "accumulating", 0
    return trigger, "retracting", lateness


# Events.


@st.composite
def rows(draw: st.DrawFn, partitions: int, nulls: bool) -> dict[str, Any]:
    """What is drawn of a row; its time is how far it is on from, or behind, the one before."""
    return {
        "kind": "row",
        "step": draw(st.sampled_from((5, 0, 1, 4, 5, 10, 0, 30))),
        "back": draw(st.sampled_from((0, 0, 0, 5, 10, 20))),
        "partition": draw(st.integers(0, partitions - 1)),
        "key": draw(st.sampled_from(("a", "a", "a", "b", None))),
        "level": draw(st.sampled_from((0, 1, 2, 3, 0, 1, None)[: 7 if nulls else 6])),
        "gap": draw(st.sampled_from((10, 5, 25))),
        "begin": draw(st.sampled_from((False, False, True))),
        "end": draw(st.sampled_from((False, False, True))),
        "holds": (draw(st.booleans()), draw(st.booleans())),
    }


def steps(
    partitions: int, *, least: int, most: int, clocks: bool, marks: bool, nulls: bool
) -> st.SearchStrategy[list[dict[str, Any]]]:
    ticks = st.sampled_from((5, 1, 10, 30)).map(lambda length: {"kind": "tick", "step": length})
    moves = st.tuples(st.integers(0, partitions - 1), st.sampled_from((0, 5, 20))).map(
        lambda drawn: {"kind": "mark", "partition": drawn[0], "ahead": drawn[1]}
    )
    row = rows(partitions, nulls)
    kinds = [row] * 6 + ([ticks] if clocks else []) + ([moves] if marks else [])
    return st.lists(st.one_of(kinds), min_size=least, max_size=most)


def events(drawn: list[dict[str, Any]]) -> tuple[Event, ...]:
    """The events that were drawn, in their order; then the drain."""
    made: list[Event] = []
    time = now = number = 0
    for step in drawn:
        if step["kind"] == "tick":
            now += step["step"]
            made.append(Tick(now))
        elif step["kind"] == "mark":
            made.append(Mark(step["partition"], max(1, time + step["ahead"])))
        else:
            number += 1
            time += step["step"]
            made.append(_row(step, number, max(0, time - step["back"])))
    return (*made, Drain())


def _row(step: dict[str, Any], number: int, time: int) -> Row:
    names = ("key", "gap", "begin", "end", "holds")
    chosen = {name: step[name] for name in names}
    level = step["level"]
    return Row(step["partition"], time, value=None if level is None else level * LEVEL + number, **chosen)


@st.composite
def cases(
    draw: st.DrawFn,
    *groups: tuple[str, ...],
    on: tuple[str, ...] = ("event",),
    partitions: tuple[int, ...] = (1,),
    least: int = 5,
    most: int = 40,
    clocks: bool = True,
    marks: bool = True,
    nulls: bool = False,
    idle: tuple[int | None, ...] = (None,),
    ttl: tuple[int | None, ...] = (None,),
    delay: tuple[int, ...] = (0, 5, 12),
) -> Case:
    """A case with one window of each group of kinds; of any kind, if there is no group. `nulls`: some values are null."""
    count = draw(st.sampled_from(partitions))
    found = tuple(draw(specs(kinds, on, count)) for kinds in groups or (KINDS,))
    drawn = draw(steps(count, least=least, most=most, clocks=clocks, marks=marks, nulls=nulls))
    return Case(
        specs=found,
        events=events(drawn),
        delay=draw(st.sampled_from(delay)),
        idle=draw(st.sampled_from(idle)),
        partitions=count,
        ttl=draw(st.sampled_from(ttl)),
    )
