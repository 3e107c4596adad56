"""Short stories about time: what comes, and the panes that leave by it, worked out by hand.

This file: the kinds of window, watermarks and lateness.
"""

from __future__ import annotations

from reference.records import Pane, Row, aggregated
from reference.telling import (
    DRAIN,
    EACH_ROW,
    Story,
    after_count,
    at,
    at_watermark,
    mark,
    session,
    sliding,
    tick,
    tumbling,
)


def test_aggregates_are_those_of_sql() -> None:
    rows = [at(1, 5), at(2, -3), at(3, 5)]
    assert aggregated(rows) == {"n": 3, "s": 7, "lo": -3, "hi": 5, "values": (5, -3, 5)}
    assert aggregated([]) == {"n": 0, "s": None, "lo": None, "hi": None, "values": ()}


def test_panes_tell_windows_apart_and_are_equal_without_that() -> None:
    one = Pane("a", None, "", "early", 0, False, 0, None, None, None, (), ident=1)
    assert one == Pane("a", None, "", "early", 0, False, 0, None, None, None, (), ident=2)


# Time windows.


def test_tumbling() -> None:
    story = Story(tumbling(10))
    assert story.after(at(1), at(9), at(4, 40, "b")) == []
    assert story.after(at(10)) == ["a 0..10 on_time 0!: 1 9", "b 0..10 on_time 0!: 40"]
    assert story.after(at(29)) == ["a 10..20 on_time 0!: 10"]
    assert story.after(DRAIN) == ["a 20..30 on_time 0!: 29"]


def test_tumbling_with_an_offset() -> None:
    story = Story(tumbling(10, offset=3))
    assert story.after(at(2), at(3), at(12)) == ["a -7..3 on_time 0!: 2"]
    assert story.after(at(13)) == ["a 3..13 on_time 0!: 3 12"]


def test_sliding() -> None:
    story = Story(sliding(10, 5))
    assert story.after(at(3), at(7)) == ["a -5..5 on_time 0!: 3"]
    assert story.after(at(10)) == ["a 0..10 on_time 0!: 3 7"]
    assert story.after(DRAIN) == ["a 5..15 on_time 0!: 7 10", "a 10..20 on_time 0!: 10"]


def test_cumulative() -> None:
    story = Story({"kind": "cumulative", "step": 5, "size": 15})
    assert story.after(at(1), at(6)) == ["a 0..5 on_time 0!: 1"]
    assert story.after(at(4)) == ["late a 4 for 0..5 at 6"]
    assert story.after(at(16)) == ["a 0..10 on_time 0!: 1 6 4", "a 0..15 on_time 0!: 1 6 4"]
    assert story.after(DRAIN) == [f"a 15..{end} on_time 0!: 16" for end in (20, 25, 30)]


def test_session() -> None:
    story = Story(session(10))
    assert story.after(at(1), at(8)) == []
    assert story.after(at(17)) == []
    assert story.after(at(26)) == []
    assert story.after(at(37)) == ["a 1..36 on_time 0!: 1 8 17 26"]
    assert story.after(DRAIN) == ["a 37..47 on_time 0!: 37"]


def test_sessions_that_touch_are_one() -> None:
    story = Story(session(10), delay=5)
    assert story.after(at(1), at(11), mark(100)) == ["a 1..21 on_time 0!: 1 11"]


def test_a_session_whose_rows_bring_its_gap() -> None:
    story = Story(session(None))
    assert story.after(at(1, gap=3), at(4, gap=20), at(9, gap=1)) == []
    assert story.after(mark(23)) == []
    assert story.after(mark(24)) == ["a 1..24 on_time 0!: 1 4 9"]


def test_trailing() -> None:
    story = Story({"kind": "trailing", "size": 10}, delay=5)
    assert story.after(at(1), at(6), at(11)) == ["a -9..1 on_time 0!: 1"]
    assert story.after(at(8)) == []
    assert story.after(at(20)) == [
        "a -4..6 on_time 0!: 1 6",
        "a -2..8 on_time 0!: 1 6 8",
        "a 1..11 on_time 0!: 6 11 8",
    ]
    assert story.after(DRAIN) == ["a 10..20 on_time 0!: 11 20"]


def test_a_trailing_window_waits_until_the_watermark_has_passed_its_row() -> None:
    story = Story({"kind": "trailing", "size": 10})
    assert story.after(at(5), at(5, 50)) == []
    assert story.after(at(6)) == ["a -5..5 on_time 0!: 5 50", "a -5..5 on_time 0!: 5 50"]


def test_a_row_too_late_for_its_own_trailing_window_counts_in_others() -> None:
    story = Story({"kind": "trailing", "size": 10}, delay=3)
    assert story.after(at(8), at(11)) == []  # the watermark is at 8
    assert story.after(at(7)) == ["late a 7 for -3..7 at 8"]
    assert story.after(DRAIN) == ["a -2..8 on_time 0!: 8 7", "a 1..11 on_time 0!: 8 11 7"]


def test_a_row_too_late_for_its_own_trailing_window_counts_in_those_of_later_rows() -> None:
    story = Story({"kind": "trailing", "size": 10})
    assert story.after(at(11), at(7)) == ["late a 7 for -3..7 at 11"]
    assert story.after(at(16)) == ["a 1..11 on_time 0!: 11 7"]
    assert story.after(DRAIN) == ["a 6..16 on_time 0!: 11 7 16"]


# Windows that rows end.


def test_count() -> None:
    story = Story({"kind": "count", "n": 2, "every": 2})
    assert story.after(at(5), at(9, key="b")) == []
    assert story.after(at(3)) == ["a 5..3 on_time 0!: 5 3"]  # in order of arrival
    assert story.after(at(4)) == []
    assert story.after(DRAIN) == ["b 9..9 on_time 0!: 9", "a 4..4 on_time 0!: 4"]


def test_count_over_the_last_rows() -> None:
    story = Story({"kind": "count", "n": 4, "every": 2})
    assert story.after(at(1)) == []
    assert story.after(at(2)) == ["a 1..2 on_time 0!: 1 2"]
    assert story.after(at(3), at(4)) == ["a 1..4 on_time 0!: 1 2 3 4"]
    assert story.after(at(5)) == []
    assert story.after(DRAIN) == ["a 3..5 on_time 0!: 3 4 5"]


def test_count_at_every_row() -> None:
    story = Story({"kind": "count", "n": 2, "every": 1})
    assert story.after(at(1), at(2), at(3)) == [
        "a 1..1 on_time 0!: 1",
        "a 1..2 on_time 0!: 1 2",
        "a 2..3 on_time 0!: 2 3",
    ]
    assert story.after(DRAIN) == []


def test_count_windows_that_overlap_with_early_panes() -> None:
    story = Story({"kind": "count", "n": 3, "every": 2}, trigger=EACH_ROW, accumulation="discarding")
    assert story.after(at(1), at(2)) == ["a 1..1 early 0: 1", "a 1..2 early 1: 2"]
    assert story.after(at(3)) == ["a 2..3 early 0: 2 3"]
    assert story.after(at(4)) == ["a 2..4 early 1: 4"]


def test_delta() -> None:
    story = Story({"kind": "delta", "threshold": 5.0})
    assert story.after(at(1, 10), at(2, 15), at(3, 5)) == []
    assert story.after(at(4, 16)) == ["a 1..3 on_time 0!: 10 15 5"]
    assert story.after(at(5, 11)) == []
    assert story.after(at(6, 10)) == ["a 4..5 on_time 0!: 16 11"]
    assert story.after(DRAIN) == ["a 6..6 on_time 0!: 10"]


def test_delta_leaves_nulls_out_of_account() -> None:
    story = Story({"kind": "delta", "threshold": 5.0})
    null = Row(0, 2, "a", None)
    assert story.after(null, at(3, 10), null, at(4, 15)) == []
    assert story.after(at(5, 16)) == ["a 2..4 on_time 0!: 10 15"]


def test_punctuated_by_its_end() -> None:
    story = Story({"kind": "punctuated", "begin": False, "end": True})
    assert story.after(at(1), at(2)) == []
    assert story.after(at(3, end=True)) == ["a 1..3 on_time 0!: 1 2 3"]
    assert story.after(at(4, end=True)) == ["a 4..4 on_time 0!: 4"]
    assert story.after(at(5), DRAIN) == ["a 5..5 on_time 0!: 5"]


def test_punctuated_by_its_beginning() -> None:
    story = Story({"kind": "punctuated", "begin": True, "end": False})
    assert story.after(at(1)) == ["late a 1 for no window at None"]
    assert story.after(at(2, begin=True), at(3)) == []
    assert story.after(at(4, begin=True)) == ["a 2..3 on_time 0!: 2 3"]
    assert story.after(DRAIN) == ["a 4..4 on_time 0!: 4"]


def test_punctuated_by_both() -> None:
    story = Story({"kind": "punctuated", "begin": True, "end": True})
    assert story.after(at(1), at(2, end=True)) == [
        "late a 1 for no window at None",
        "late a 2 for no window at 1",
    ]
    assert story.after(at(3, begin=True), at(4, begin=True)) == []
    assert story.after(at(5, end=True)) == ["a 3..5 on_time 0!: 3 4 5"]
    assert story.after(at(6)) == ["late a 6 for no window at 5"]
    assert story.after(at(7, begin=True, end=True)) == ["a 7..7 on_time 0!: 7"]


def test_all_time() -> None:
    story = Story({"kind": "all_time"})
    assert story.after(at(1), at(900), at(2)) == ["a early 0: 1", "a early 1: 1 900", "a early 2: 1 900 2"]
    assert story.after(DRAIN) == []


def test_all_time_whose_trigger_has_not_told_all() -> None:
    story = Story({"kind": "all_time"}, trigger=after_count(2))
    assert story.after(at(1), at(2), at(3)) == ["a early 0: 1 2"]
    assert story.after(DRAIN) == ["a on_time 1!: 1 2 3"]


def test_nothing_is_late_for_windows_that_rows_end() -> None:
    story = Story({"kind": "count", "n": 2, "every": 2})
    assert story.after(at(1000), at(1)) == ["a 1000..1 on_time 0!: 1000 1"]


def test_ttl_frees_windows_that_rows_end() -> None:
    story = Story({"kind": "count", "n": 4, "every": 2}, ttl=10)
    assert story.after(at(1), at(2), at(3)) == ["a 1..2 on_time 0!: 1 2"]
    assert story.after(at(13, key="b")) == ["a 1..3 on_time 0!: 1 2 3"]
    assert story.after(at(14), at(15)) == ["a 14..15 on_time 0!: 14 15"]  # it has begun to count anew


# Other clocks.


def test_processing_time_goes_by_ticks() -> None:
    story = Story(tumbling(10), on="processing", start=3)
    assert story.after(at(500), at(1)) == []
    assert story.after(tick(9), at(2)) == []
    assert story.after(tick(10)) == ["a 0..10 on_time 0!: 500 1 2"]
    assert story.after(at(3), tick(19)) == []
    assert story.after(DRAIN) == ["a 10..20 on_time 0!: 3"]


def test_sessions_of_processing_time() -> None:
    story = Story(session(10), on="processing")
    assert story.after(at(1), tick(8), at(2), tick(17), at(3, key="b")) == []
    assert story.after(tick(18)) == ["a 0..18 on_time 0!: 1 2"]
    assert story.after(tick(27)) == ["b 17..27 on_time 0!: 3"]


def test_trailing_windows_of_processing_time() -> None:
    story = Story({"kind": "trailing", "size": 10}, on="processing")
    assert story.after(at(1), tick(4)) == ["a -10..0 on_time 0!: 1"]
    assert story.after(at(2), tick(12), at(3), tick(13)) == [
        "a -6..4 on_time 0!: 1 2",
        "a 2..12 on_time 0!: 2 3",
    ]


def test_ingestion_time_has_watermarks_of_its_own() -> None:
    story = Story(tumbling(10), on="ingestion", delay=100)
    assert story.after(at(1000, arrived=5), at(1, arrived=7), mark(5000)) == []
    assert story.after(at(2, arrived=12)) == ["a 0..10 on_time 0!: 1000 1"]
    assert story.after(at(3, arrived=9)) == ["late a 3 for 0..10 at 12"]


# Watermarks.


def test_delay_holds_the_watermark_back() -> None:
    story = Story(tumbling(10), delay=3)
    assert story.after(at(12)) == []
    assert story.after(at(9)) == []
    assert story.after(at(13)) == ["a 0..10 on_time 0!: 9"]


def test_a_watermark_never_goes_back() -> None:
    story = Story(tumbling(10))
    story.after(at(15), mark(3), at(5))
    assert story.watermark == 15


def test_a_mark_moves_the_watermark_without_a_row() -> None:
    story = Story(tumbling(10))
    assert story.after(at(1), mark(9)) == []
    assert story.after(mark(10)) == ["a 0..10 on_time 0!: 1"]


def test_the_slowest_source_partition_holds_all_back() -> None:
    story = Story(tumbling(10), partitions=(0, 1))
    assert story.after(at(1), at(30)) == []
    assert story.watermark is None
    assert story.after(at(5, p=1)) == []
    assert story.after(at(12, p=1)) == ["a 0..10 on_time 0!: 1 5"]


def test_a_row_is_late_by_its_own_source_partition() -> None:
    story = Story(tumbling(10), partitions=(0, 1))
    assert story.after(at(30), at(5, p=1)) == []
    assert story.after(at(6), at(7, p=1)) == ["late a 6 for 0..10 at 30"]
    assert story.after(DRAIN) == ["a 0..10 on_time 0!: 5 7", "a 30..40 on_time 0!: 30"]


def test_an_idle_source_partition_holds_nothing_back() -> None:
    story = Story(tumbling(10), partitions=(0, 1), idle=30)
    assert story.after(at(1, p=1), tick(20), at(25)) == []
    assert story.after(tick(29)) == []
    assert story.after(tick(30)) == ["a 0..10 on_time 0!: 1"]  # the watermark is at 25


def test_one_that_was_idle_is_compared_with_the_operators_watermark() -> None:
    story = Story(tumbling(10), partitions=(0, 1), idle=30)
    story.after(at(1, p=1), tick(20), at(25), tick(30))
    assert story.after(at(2, p=1), at(3, p=1)) == ["late a 2 for 0..10 at 25", "late a 3 for 0..10 at 25"]
    assert story.after(at(55), at(26, p=1)) == []
    assert story.watermark == 26  # it is live again, and holds back


def test_when_all_are_idle_the_watermark_stands() -> None:
    story = Story(tumbling(10), partitions=(0, 1), idle=30)
    assert story.after(at(8), at(3, p=1), tick(100)) == []
    assert story.watermark == 3
    assert story.after(tick(200)) == []


def test_one_that_never_spoke_is_waited_for_until_it_is_idle() -> None:
    story = Story(tumbling(10), partitions=(0, 1), idle=30)
    assert story.after(at(15), at(1)) == ["late a 1 for 0..10 at 15"]
    assert story.watermark is None
    story.after(tick(29), at(16), tick(30))
    assert story.watermark == 16


def test_one_that_was_not_known_comes_in_at_the_operators_watermark() -> None:
    story = Story(tumbling(10))
    assert story.after(at(1), at(25)) == ["a 0..10 on_time 0!: 1"]
    assert story.after(at(2, p=7)) == ["late a 2 for 0..10 at 25"]
    story.after(at(50))
    assert story.watermark == 25


# Late rows.


def test_a_row_is_late_when_its_window_is_closed() -> None:
    story = Story(tumbling(10))
    assert story.after(at(9), at(10)) == ["a 0..10 on_time 0!: 9"]
    assert story.after(at(9)) == ["late a 9 for 0..10 at 10"]


def test_lateness_keeps_a_window_open() -> None:
    story = Story(tumbling(10), lateness=5)
    assert story.after(at(1), at(14)) == ["a 0..10 on_time 0: 1"]
    assert story.after(at(2)) == ["a 0..10 late 1: 1 2"]
    assert story.after(at(15), at(3)) == ["late a 3 for 0..10 at 15"]


def test_a_row_can_be_late_for_one_window_and_not_for_another() -> None:
    story = Story(sliding(10, 5))
    assert story.after(at(12)) == []
    assert story.after(at(9)) == ["late a 9 for 0..10 at 12"]
    assert story.after(DRAIN) == ["a 5..15 on_time 0!: 12 9", "a 10..20 on_time 0!: 12"]


def test_a_row_is_late_once_for_each_window() -> None:
    story = Story(sliding(10, 5))
    assert story.after(at(100), at(7)) == ["late a 7 for 0..10 at 100", "late a 7 for 5..15 at 100"]


def test_late_rows_may_be_dropped_and_are_counted() -> None:
    story = Story(tumbling(10), late="drop")
    assert story.after(at(100), at(7), at(8)) == []
    assert story.model.outcome.dropped == 2


def test_a_row_within_lateness_makes_a_window_that_is_past_its_end() -> None:
    story = Story(tumbling(10), lateness=20)
    assert story.after(at(15), at(1)) == ["a 0..10 on_time 0: 1"]
    assert story.after(at(2)) == ["a 0..10 late 1: 1 2"]


def test_a_row_of_such_a_window_that_fires_by_itself_is_late() -> None:
    story = Story(tumbling(10), lateness=20, trigger=EACH_ROW)
    assert story.after(at(15), at(1)) == ["a 10..20 early 0: 15", "a 0..10 late 0: 1"]


def test_closing_tells_what_the_trigger_has_not() -> None:
    story = Story(tumbling(10), lateness=5, trigger=at_watermark())
    assert story.after(at(1), at(10), at(2)) == ["a 0..10 on_time 0: 1"]
    assert story.after(at(15)) == ["a 0..10 late 1!: 1 2"]


def test_windows_that_are_due_at_once_fire_in_order_of_due_time_then_of_start() -> None:
    story = Story(sliding(10, 5), lateness=5, trigger=at_watermark())
    story.after(at(7), mark(10))
    assert story.after(at(8), at(9), at(100)) == [
        "a 0..10 late 1!: 7 8 9",  # closed at 15
        "a 5..15 on_time 0: 7 8 9",  # complete at 15
    ]


# What is final.


def test_final_panes_alone() -> None:
    story = Story(tumbling(10), lateness=5, final_only=True)
    assert story.after(at(1), at(12), at(2)) == []
    assert story.after(at(15)) == ["a 0..10 late 1!: 1 2"]
    assert story.after(DRAIN) == ["a 10..20 late 1!: 12 15"]


def test_final_panes_alone_without_lateness() -> None:
    story = Story(tumbling(10), final_only=True)
    assert story.after(at(1), at(12)) == ["a 0..10 on_time 0!: 1"]
    assert story.after(DRAIN) == ["a 10..20 on_time 0!: 12"]


def test_final_panes_alone_of_all_time_come_with_the_end() -> None:
    story = Story({"kind": "all_time"}, final_only=True)
    assert story.after(at(1), at(2)) == []
    assert story.after(DRAIN) == ["a on_time 2!: 1 2"]
