"""Short stories about panes: triggers and what they are made of, accumulations, and sessions that merge."""

from __future__ import annotations

from typing import Any

import pytest

from reference.folding import folded
from reference.telling import (
    DRAIN,
    EACH_ROW,
    NEVER,
    Story,
    after_count,
    after_delay,
    at,
    at_watermark,
    every,
    mark,
    of_parts,
    repeat,
    session,
    sliding,
    specified,
    tick,
    tumbling,
    until,
    when,
)

ALL_TIME = {"kind": "all_time"}


def story(trigger: dict[str, Any], **words: Any) -> Story:
    """All time, so that nothing but the trigger fires; panes hold what is new."""
    return Story(ALL_TIME, trigger=trigger, accumulation="discarding", **words)


# Triggers, one by one.


def test_each_row() -> None:
    assert story(EACH_ROW).after(at(1), at(2)) == ["a early 0: 1", "a early 1: 2"]


def test_when() -> None:
    one = story(when(1))
    assert one.after(at(1, holds=(True, False)), at(2, holds=(False, True))) == ["a early 0: 1 2"]
    assert one.after(at(3, holds=(False, True))) == ["a early 1: 3"]


def test_after_count_fires_once() -> None:
    one = story(after_count(2))
    assert one.after(at(1)) == []
    assert one.after(at(2), at(3), at(4), at(5)) == ["a early 0: 1 2"]


def test_after_delay_fires_once_at_a_tick() -> None:
    one = story(after_delay(10), start=3)
    assert one.after(tick(5), at(1), tick(9), at(2), tick(14)) == []
    assert one.after(at(3), tick(15)) == ["a early 0: 1 2 3"]
    assert one.after(at(4), tick(100)) == []


def test_every_fires_at_multiples_if_rows_came() -> None:
    one = story(every(10))
    assert one.after(tick(3), at(1), tick(9)) == []
    assert one.after(tick(12)) == ["a early 0: 1"]
    assert one.after(tick(20), tick(30)) == []
    assert one.after(at(2)) == []  # at 30: the next multiple is 40
    assert one.after(tick(39)) == []
    assert one.after(tick(40)) == ["a early 1: 2"]


def test_never() -> None:
    one = story(NEVER)
    assert one.after(at(1), tick(50), mark(50)) == []
    assert one.after(DRAIN) == ["a on_time 0!: 1"]  # closing tells all


def test_any_of_is_finished_with_its_first_part() -> None:
    one = story(of_parts("any_of", after_count(3), when(0)))
    assert one.after(at(1, holds=(True,))) == ["a early 0: 1"]
    assert one.after(at(2, holds=(False,))) == []
    assert one.after(at(3, holds=(False,))) == ["a early 1: 2 3"]
    assert one.after(at(4, holds=(True,))) == []


def test_all_of_fires_once_when_each_part_has() -> None:
    one = story(of_parts("all_of", after_count(2), after_delay(10)))
    assert one.after(at(1), at(2), at(3), tick(9)) == []
    assert one.after(tick(10)) == ["a early 0: 1 2 3"]
    assert one.after(at(4), at(5), tick(50)) == []


def test_in_order_begins_the_next_part_behind_the_one_before() -> None:
    one = story(of_parts("in_order", after_count(1), after_count(2), EACH_ROW))
    assert one.after(at(1)) == ["a early 0: 1"]
    assert one.after(at(2)) == []
    assert one.after(at(3)) == ["a early 1: 2 3"]
    assert one.after(at(4), at(5)) == ["a early 2: 4", "a early 3: 5"]


def test_repeat_begins_anew() -> None:
    one = story(repeat(after_count(2)))
    assert one.after(at(1), at(2), at(3), at(4), at(5)) == ["a early 0: 1 2", "a early 1: 3 4"]


def test_repeat_after_a_delay_counts_from_the_next_row() -> None:
    one = story(repeat(after_delay(10)))
    assert one.after(at(1), tick(12)) == ["a early 0: 1"]
    assert one.after(tick(20), at(2), tick(29)) == []
    assert one.after(tick(30)) == ["a early 1: 2"]


def test_until_fires_with_both_and_ends_with_the_second() -> None:
    one = story(until(repeat(after_count(2)), when(0)))
    no, yes = (False,), (True,)
    assert one.after(at(1, holds=no), at(2, holds=no)) == ["a early 0: 1 2"]
    assert one.after(at(3, holds=yes)) == ["a early 1: 3"]
    assert one.after(at(4, holds=no), at(5, holds=yes)) == []


def test_until_is_finished_when_its_first_is() -> None:
    one = story(repeat(until(after_count(1), after_count(3))))
    assert one.after(at(1), at(2)) == ["a early 0: 1", "a early 1: 2"]


def test_a_trigger_fires_no_pane_without_new_rows() -> None:
    one = story(of_parts("any_of", EACH_ROW, every(10)))
    assert one.after(at(1), tick(10), tick(20)) == ["a early 0: 1"]


def test_a_pane_of_another_part_does_not_move_a_deadline() -> None:
    one = story(of_parts("any_of", when(0), every(10)))
    assert one.after(at(1, holds=(True,)), tick(5), at(2, holds=(False,))) == ["a early 0: 1"]
    assert one.after(tick(10)) == ["a early 1: 2"]


# At the watermark.


def test_at_watermark_alone() -> None:
    one = Story(tumbling(10), trigger=at_watermark(), lateness=10)
    assert one.after(at(1), at(12)) == ["a 0..10 on_time 0: 1"]
    assert one.after(at(2), at(3)) == []
    assert one.after(at(20)) == ["a 0..10 late 1!: 1 2 3", "a 10..20 on_time 0: 12"]


def test_early_is_repeated_until_completion_and_late_behind_it() -> None:
    trigger = at_watermark(after_count(2), after_count(2))
    one = Story(tumbling(10), trigger=trigger, lateness=90, accumulation="discarding")
    early = one.after(at(1), at(2), at(3), at(4), at(5))
    assert early == ["a 0..10 early 0: 1 2", "a 0..10 early 1: 3 4"]
    assert one.after(mark(10)) == ["a 0..10 on_time 2: 5"]
    assert one.after(at(6)) == []  # late begins with completion: one of two
    assert one.after(at(7), at(8)) == ["a 0..10 late 3: 6 7"]
    assert one.after(mark(100)) == ["a 0..10 late 4!: 8"]


def test_completion_is_told_without_new_rows_save_where_panes_hold_what_is_new() -> None:
    told = {}
    for accumulation in ("accumulating", "discarding"):
        one = Story(tumbling(10), trigger=at_watermark(EACH_ROW), accumulation=accumulation)
        told[accumulation] = one.after(at(1), at(10))
    # The row at 10 comes into its window before the watermark moves by it.
    assert told["accumulating"] == ["a 0..10 early 0: 1", "a 10..20 early 0: 10", "a 0..10 on_time 1!: 1"]
    assert told["discarding"] == ["a 0..10 early 0: 1", "a 10..20 early 0: 10"]


def test_a_row_that_comes_with_completion_is_told_once() -> None:
    one = Story(tumbling(10), trigger=at_watermark(EACH_ROW, EACH_ROW), lateness=90)
    assert one.after(at(50), at(1)) == ["a 50..60 early 0: 50", "a 0..10 on_time 0: 1"]
    assert one.after(at(2)) == ["a 0..10 late 1: 1 2"]


def test_parts_see_a_row_and_then_the_completion_that_comes_with_it() -> None:
    one = Story(tumbling(10), trigger=of_parts("in_order", after_count(1), at_watermark()), lateness=90)
    assert one.after(at(50), at(1)) == ["a 50..60 early 0: 50", "a 0..10 on_time 0: 1"]
    assert one.after(at(2), mark(100)) == ["a 50..60 on_time 1: 50", "a 0..10 late 1!: 1 2"]


def test_completion_is_on_time_within_other_triggers() -> None:
    one = Story(tumbling(10), trigger=of_parts("any_of", at_watermark(), after_count(2)), lateness=90)
    assert one.after(at(1), mark(10)) == ["a 0..10 on_time 0: 1"]
    assert one.after(at(2), at(3)) == []  # finished
    assert one.after(DRAIN) == ["a 0..10 late 1!: 1 2 3"]


def test_what_fires_later_than_completion_is_late() -> None:
    one = Story(tumbling(10), trigger=of_parts("all_of", at_watermark(), after_count(2)), lateness=90)
    assert one.after(at(1), mark(10)) == []
    assert one.after(at(2)) == ["a 0..10 late 0: 1 2"]


def test_at_watermark_that_begins_behind_completion_is_late_at_once() -> None:
    trigger = of_parts("in_order", after_count(2), at_watermark(None, after_count(2)))
    one = Story(tumbling(10), trigger=trigger, lateness=90, accumulation="discarding")
    assert one.after(at(1), mark(10)) == []
    assert one.after(at(2), at(3)) == ["a 0..10 late 0: 1 2"]
    assert one.after(at(4)) == ["a 0..10 late 1: 3 4"]


def test_a_tick_completes_windows_before_it_asks_triggers() -> None:
    one = Story(tumbling(10), trigger=at_watermark(every(30)), partitions=(0, 1), idle=30)
    assert one.after(tick(1), at(1), at(25)) == []
    assert one.after(tick(30)) == ["a 0..10 on_time 0!: 1", "a 20..30 early 0: 25"]


def test_ticks_ask_windows_in_order_of_start() -> None:
    one = Story(sliding(10, 5), trigger=at_watermark(every(10)))
    assert one.after(at(15), at(7), tick(10)) == [
        "late a 7 for 0..10 at 15",
        "late a 7 for 5..15 at 15",
        "a 10..20 early 0: 15",
        "a 15..25 early 0: 15",
    ]


# Accumulations.


def test_discarding() -> None:
    one = Story(tumbling(10), trigger=at_watermark(after_count(2)), accumulation="discarding")
    assert one.after(at(1), at(2), at(3), DRAIN) == ["a 0..10 early 0: 1 2", "a 0..10 on_time 1!: 3"]


def test_accumulating() -> None:
    one = Story(tumbling(10), trigger=at_watermark(after_count(2)), accumulation="accumulating")
    assert one.after(at(1), at(2), at(3), DRAIN) == ["a 0..10 early 0: 1 2", "a 0..10 on_time 1!: 1 2 3"]


def test_retracting() -> None:
    one = Story(tumbling(10), trigger=at_watermark(after_count(2)), accumulation="retracting")
    assert one.after(at(1), at(2), at(3), DRAIN) == [
        "+I a 0..10 early 0: 1 2",
        "-U a 0..10 early 0: 1 2",
        "+U a 0..10 on_time 1!: 1 2 3",
    ]


def test_retracting_without_new_rows() -> None:
    one = Story(tumbling(10), trigger=at_watermark(EACH_ROW), accumulation="retracting")
    assert one.after(at(1), DRAIN) == [
        "+I a 0..10 early 0: 1",
        "-U a 0..10 early 0: 1",
        "+U a 0..10 on_time 1!: 1",
    ]


# Sessions that merge.


def test_a_row_joins_two_sessions() -> None:
    one = Story(session(10), delay=30)
    assert one.after(at(1), at(20), at(11), mark(29)) == []
    assert one.after(mark(30)) == ["a 1..30 on_time 0!: 1 20 11"]


def test_sessions_taken_back_at_once_when_one_absorbs_them() -> None:
    one = Story(session(10), delay=50, trigger=at_watermark(EACH_ROW), accumulation="retracting")
    assert one.after(at(1), at(20)) == ["+I a 1..11 early 0: 1", "+I a 20..30 early 0: 20"]
    assert one.after(at(11)) == [
        "-D a 1..11 early 0: 1",
        "-D a 20..30 early 0: 20",
        "+I a 1..30 early 0: 1 20 11",
    ]
    assert one.after(at(15)) == ["-U a 1..30 early 0: 1 20 11", "+U a 1..30 early 1: 1 20 11 15"]


def test_a_session_that_grows_is_taken_back() -> None:
    one = Story(session(10), lateness=50, accumulation="retracting")
    assert one.after(at(1), at(20)) == ["+I a 1..11 on_time 0: 1"]
    assert one.after(at(9)) == ["-D a 1..11 on_time 0: 1", "+I a 1..19 on_time 0: 1 9"]
    assert one.after(at(10)) == ["-D a 1..19 on_time 0: 1 9"]  # and touches the other, whose end is to come
    assert one.after(mark(30)) == ["+I a 1..30 on_time 0: 1 20 9 10"]
    assert one.after(DRAIN) == []


def test_a_session_that_was_not_told_is_not_taken_back() -> None:
    one = Story(session(10), trigger=at_watermark(after_count(2)), accumulation="retracting")
    assert one.after(at(1), at(5)) == ["+I a 1..15 early 0: 1 5"]
    assert one.after(at(6)) == ["-D a 1..15 early 0: 1 5"]
    assert one.after(at(8)) == ["+I a 1..18 early 0: 1 5 6 8"]


@pytest.mark.parametrize("accumulation", ["accumulating", "discarding"])
def test_another_interval_is_another_window_in_each_accumulation(accumulation: str) -> None:
    one = Story(session(10), trigger=at_watermark(EACH_ROW), accumulation=accumulation)
    assert one.after(at(1)) == ["a 1..11 early 0: 1"]
    both = "1 2" if accumulation == "accumulating" else "2"
    assert one.after(at(2)) == [f"a 1..12 early 0: {both}"]
    again = "1 2 1" if accumulation == "accumulating" else "1"
    assert one.after(at(1)) == [f"a 1..12 early 1: {again}"]


def test_lateness_of_a_session_is_judged_after_merging() -> None:
    one = Story(session(10))
    assert one.after(at(40), at(49)) == []
    assert one.after(at(31)) == []  # 31..41 by itself is late at 49; together with 40..59 it is not
    assert one.after(at(20)) == ["late a 20 for 20..30 at 49"]
    assert one.after(DRAIN) == ["a 31..59 on_time 0!: 40 49 31"]


def test_a_session_closed_by_a_rows_own_mark_is_closed_to_it() -> None:
    ahead = [at(1), at(15, key="b", p=1), at(8, p=1)]
    one = Story(session(10), partitions=(0, 1))
    assert one.after(*ahead) == []
    told = ["a 1..11 on_time 0!: 1", "a 8..18 on_time 0!: 8", "b 15..25 on_time 0!: 15"]
    assert one.after(DRAIN) == told
    other = Story(session(10), partitions=(0, 1))
    assert other.after(*ahead, at(2)) == []  # its partition is behind: both are open to it
    assert other.after(DRAIN) == ["a 1..18 on_time 0!: 1 8 2", "b 15..25 on_time 0!: 15"]


def test_merged_counts_add_up() -> None:
    one = Story(session(10), trigger=after_count(4), lateness=90)
    assert one.after(at(1), at(20), at(21)) == []
    assert one.after(at(11)) == ["a 1..31 early 0: 1 20 21 11"]


def test_merged_deadlines_are_the_earliest() -> None:
    one = Story(session(10), trigger=after_delay(10), lateness=90)
    assert one.after(at(1), tick(6), at(20), tick(8), at(11)) == []
    assert one.after(tick(9)) == []
    assert one.after(tick(10)) == ["a 1..30 early 0: 1 20 11"]


def test_finished_is_what_is_finished_in_all() -> None:
    one = Story(session(10), trigger=after_count(2), delay=90, accumulation="retracting")
    assert one.after(at(1), at(2), at(20)) == ["+I a 1..12 early 0: 1 2"]
    assert one.after(at(12)) == ["-D a 1..12 early 0: 1 2", "+I a 1..30 early 0: 1 2 20 12"]
    assert one.after(at(25)) == ["-D a 1..30 early 0: 1 2 20 12"]  # it grows, and stays finished
    assert one.after(DRAIN) == ["+I a 1..35 on_time 0!: 1 2 20 12 25"]


def test_what_has_fired_in_one_session_has_fired() -> None:
    trigger = of_parts("all_of", when(0), when(1))
    one = Story(session(10), trigger=trigger, delay=90)
    assert one.after(at(1, holds=(True, False)), at(20, holds=(False, True))) == []
    assert one.after(at(11, holds=(False, False))) == ["a 1..30 early 0: 1 20 11"]


def test_in_order_goes_on_with_what_is_not_finished_in_all() -> None:
    trigger = of_parts("in_order", after_count(2), when(0))
    one = Story(session(10), trigger=trigger, delay=90, accumulation="discarding")
    yes = (True,)
    assert one.after(at(1, holds=yes), at(2, holds=yes)) == ["a 1..12 early 0: 1 2"]
    assert one.after(at(20, holds=yes)) == []
    assert one.after(at(12, holds=yes)) == ["a 1..30 early 0: 20 12"]  # two and one and this one: after_count
    assert one.after(at(13, holds=yes)) == ["a 1..30 early 1: 13"]


def test_completion_of_a_session_that_grows_is_still_to_come() -> None:
    one = Story(session(10), trigger=at_watermark(), lateness=90)
    assert one.after(at(1), mark(11)) == ["a 1..11 on_time 0: 1"]
    assert one.after(at(9), mark(18)) == []
    assert one.after(mark(19)) == ["a 1..19 on_time 0: 1 9"]


# The final table.


def test_folding() -> None:
    tables = []
    for accumulation in ("discarding", "accumulating", "retracting"):
        words: dict[str, Any] = {"trigger": at_watermark(after_count(2)), "accumulation": accumulation}
        one = Story(tumbling(10), **words)
        one.after(at(1), at(2), at(3), at(11), DRAIN)
        tables.append(folded(one.model.outcome.panes, accumulation))
    assert tables[0] == {
        ("a", (0, 10)): [(3, 6, 1, 3, (1, 2, 3))],
        ("a", (10, 20)): [(1, 11, 11, 11, (11,))],
    }
    assert tables[0] == tables[1] == tables[2]


def test_a_retraction_of_what_was_never_given_is_told() -> None:
    one = Story(tumbling(10), trigger=at_watermark(EACH_ROW), accumulation="retracting")
    one.after(at(1), at(2))
    with pytest.raises(AssertionError, match="takes back what was never given"):
        folded(one.model.outcome.panes[1:], "retracting")


def test_a_specification_names_what_its_results_have() -> None:
    assert specified(tumbling(10))["pane"] is False
    assert specified(tumbling(10), trigger=EACH_ROW, accumulation="retracting")["op"] is True
