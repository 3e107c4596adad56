"""What holds of the model whatever comes: accumulations agree, no row is lost, partitions may interleave."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.cases import Case, rows_of
from contracts.strategies import ACCUMULATIONS, KINDS, cases
from reference.folding import Table, folded
from reference.model import Outcome
from reference.records import Drain, Event

CLOCKS = ("event", "event", "processing", "ingestion")
quietly = settings(deadline=None, derandomize=True, database=None)


def anything() -> st.SearchStrategy[Case]:
    return cases(on=CLOCKS, partitions=(1, 2, 3), idle=(None, 30, 5))


def told(case: Case, **changes: Any) -> Outcome:
    return case.expected({**case.specs[0], "late": "keep", **changes})


def told_at_the_end(case: Case) -> Table:
    """The table where each window speaks once, when it closes."""
    last = told(case, trigger=None, accumulation="accumulating", final_only=True)
    return folded(last.panes, "accumulating", idents=True)


def lates(outcome: Outcome) -> Counter[Any]:
    return Counter((late.row, late.window, late.mark) for late in outcome.late)


@quietly
@given(anything())
def test_the_table_of_retractions_does_not_depend_on_the_trigger(case: Case) -> None:
    assert folded(
        told(case, accumulation="retracting", final_only=False).panes, "retracting"
    ) == told_at_the_end(case)


@quietly
@given(
    cases(tuple(kind for kind in KINDS if kind not in ("session", "gaps")), on=CLOCKS, partitions=(1, 2, 3))
)
def test_the_table_is_the_same_for_all_accumulations(case: Case) -> None:
    """A session that was told and then grows is another window, and is taken back by retractions alone."""
    for accumulation in ACCUMULATIONS[:2]:
        panes = told(case, accumulation=accumulation, final_only=False).panes
        assert folded(panes, accumulation, idents=True) == told_at_the_end(case)


@quietly
@given(anything())
def test_late_rows_do_not_depend_on_trigger_and_accumulation(case: Case) -> None:
    assert lates(told(case)) == lates(told(case, trigger=None, accumulation="accumulating"))


@quietly
@given(anything())
def test_no_row_is_lost(case: Case) -> None:
    outcome = told(case, accumulation="retracting", final_only=False)
    table = folded(outcome.panes, "retracting")
    inside = {value for totals in table.values() for total in totals for value in total[4]}
    late = {one.row.value for one in outcome.late}
    assert inside | late == {row.value for row in rows_of(case.events)}


@quietly
@given(cases(("tumbling", "sliding", "cumulative"), partitions=(1, 2, 3), idle=(None, 30)))
def test_each_window_of_a_row_has_it_or_says_that_it_is_late(case: Case) -> None:
    outcome = told(case, accumulation="retracting", final_only=False)
    table = folded(outcome.panes, "retracting")
    inside = Counter(
        (value, window) for (_key, window), totals in table.items() for total in totals for value in total[4]
    )
    late = Counter((one.row.value, one.window) for one in outcome.late)
    assert inside + late == Counter(
        (row.value, window)
        for row in rows_of(case.events)
        for window in windows(case.specs[0]["window"], row.time)
    )


def windows(window: dict[str, Any], time: int) -> list[tuple[int, int]]:
    """The windows that hold a time, by trying all there are."""
    if window["kind"] == "cumulative":
        step, size = window["step"], window["size"]
        all_there_are = [(at, at + end) for at in range(0, 2000, size) for end in range(step, size + 1, step)]
    else:
        size, every, offset = window["size"], window["every"], window["offset"]
        all_there_are = [(at, at + size) for at in range(offset - 20 * every, 2000, every)]
    return [(start, end) for start, end in all_there_are if start <= time < end]


@quietly
@given(cases(("tumbling", "sliding", "cumulative"), partitions=(2, 3), clocks=False), st.randoms())
def test_without_a_trigger_partitions_of_aligned_windows_may_interleave(case: Case, chance: Any) -> None:
    said: dict[str, Any] = {"trigger": None, "accumulation": "accumulating"}
    before = told(case, **said)
    after = told(
        Case(case.specs, interleaved(case.events, chance), case.delay, None, case.partitions), **said
    )
    assert folded(after.panes, "accumulating") == folded(before.panes, "accumulating")
    assert lates(after) == lates(before)


def interleaved(events: tuple[Event, ...], chance: Any) -> tuple[Event, ...]:
    """The same events, those of each partition in their order."""
    queues: dict[int, list[Event]] = {}
    for event in events[:-1]:
        queues.setdefault(event.partition, []).append(event)  # type: ignore[union-attr]
    mixed: list[Event] = []
    while left := [queue for queue in queues.values() if queue]:
        mixed.append(chance.choice(left).pop(0))
    return (*mixed, Drain())


@quietly
@given(cases(on=CLOCKS, partitions=(1, 2, 3)))
def test_a_case_can_be_kept(case: Case) -> None:
    assert Case.of(case.json) == case
