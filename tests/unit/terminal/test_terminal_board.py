# ruff: noqa: DTZ001 (Spark hands rows over with times that carry no zone)
"""Folding: append, update and complete tables, batch by batch."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from headrace.connect.sink import Table
from headrace.model.modes import Output
from headrace.terminal.board import HELD, Board, Sheet


def table(output: Output, *rows: dict[str, Any], keys: tuple[str, ...] = (), more: int = 0) -> Table:
    return Table("t", list(rows[0]) if rows else ["k", "n"], list(keys), list(rows), output, more)


def sheet_of(*tables: Table) -> Sheet:
    board = Board()
    for one in tables:
        board.fold(one)
    return board.sheets["t"]


def window(minute: int) -> dict[str, datetime]:
    return {"start": datetime(2026, 1, 1, 12, minute), "end": datetime(2026, 1, 1, 12, minute + 10)}


def test_append_keeps_the_last_twenty_rows_with_the_newest_at_the_bottom():
    sheet = sheet_of(*(table(Output.APPEND, {"n": n}) for n in range(25)))

    assert [row["n"] for row in sheet.rows] == list(range(5, 25))
    assert sheet.page(3).rows == ({"n": 22}, {"n": 23}, {"n": 24})
    assert (sheet.page(3).above, sheet.page(3).below) == (22, 0)


def test_append_counts_the_rows_that_the_sink_left_out():
    page = sheet_of(table(Output.APPEND, {"n": 1}, more=7)).page(10)

    assert (page.rows, page.above) == (({"n": 1},), 7)


def test_append_keeps_a_larger_batch_whole():
    assert len(sheet_of(table(Output.APPEND, *({"n": n} for n in range(50)))).rows) == 50


def test_update_replaces_rows_by_key_and_sorts_them():
    sheet = sheet_of(
        table(Output.UPDATE, {"k": "b", "n": 1}, {"k": "a", "n": 1}, keys=("k",)),
        table(Output.UPDATE, {"k": "b", "n": 2}, keys=("k",)),
    )

    assert sheet.rows == [{"k": "a", "n": 1}, {"k": "b", "n": 2}]


def test_update_returns_only_rows_that_changed():
    board = Board()
    board.fold(table(Output.UPDATE, {"k": "a", "n": 1}, {"k": "b", "n": 1}, keys=("k",)))

    changed = board.fold(table(Output.UPDATE, {"k": "a", "n": 1}, {"k": "b", "n": 2}, keys=("k",)))

    assert changed == [{"k": "b", "n": 2}]


def test_update_sorts_by_window_before_the_other_keys():
    rows = [{"k": k, "window": window(m)} for m in (5, 0) for k in "ba"]

    sheet = sheet_of(table(Output.UPDATE, *rows, keys=("k", "window")))

    assert [(row["window"]["start"].minute, row["k"]) for row in sheet.rows] == [
        (0, "a"),
        (0, "b"),
        (5, "a"),
        (5, "b"),
    ]


def test_update_by_window_shows_the_newest_windows_where_room_is_scarce():
    sheet = sheet_of(table(Output.UPDATE, *({"window": window(m)} for m in range(5)), keys=("window",)))

    assert [row["window"]["start"].minute for row in sheet.page(2).rows] == [3, 4]
    assert sheet.page(2).above == 3


def test_update_by_a_plain_key_shows_the_first_rows():
    page = sheet_of(table(Output.UPDATE, *({"k": k} for k in "abcd"), keys=("k",))).page(3)

    assert (page.rows, page.above, page.below) == (({"k": "a"}, {"k": "b"}, {"k": "c"}), 0, 1)


def test_update_sorts_nulls_and_mixed_keys_without_failing():
    sheet = sheet_of(table(Output.UPDATE, {"k": "a"}, {"k": 2}, {"k": None}, {"k": [1, 2]}, keys=("k",)))

    assert [row["k"] for row in sheet.rows] == [None, 2, [1, 2], "a"]


def test_update_without_keys_appends():
    sheet = sheet_of(table(Output.UPDATE, {"n": 1}), table(Output.UPDATE, {"n": 1}))

    assert sheet.rows == [{"n": 1}, {"n": 1}]


def test_update_takes_a_row_away_that_was_retracted():
    sheet = sheet_of(
        table(Output.UPDATE, {"k": "a", "op": "+I"}, {"k": "b", "op": "+I"}, keys=("k",)),
        table(
            Output.UPDATE, {"k": "a", "op": "-D"}, {"k": "b", "op": "-U"}, {"k": "b", "op": "+U"}, keys=("k",)
        ),
    )

    assert sheet.rows == [{"k": "b", "op": "+U"}]


def test_update_holds_a_bounded_number_of_rows():
    sheet = sheet_of(table(Output.UPDATE, *({"k": k} for k in range(HELD + 10)), keys=("k",)))

    assert (len(sheet.rows), sheet.rows[0]) == (HELD, {"k": 10})


def test_complete_is_replaced_whole_and_returns_what_is_new():
    board = Board()
    board.fold(table(Output.COMPLETE, {"k": "a", "n": 1}, {"k": "b", "n": 1}))

    changed = board.fold(table(Output.COMPLETE, {"k": "b", "n": 1}, {"k": "c", "n": 1}, more=4))

    assert changed == [{"k": "c", "n": 1}]
    assert board.sheets["t"].rows == [{"k": "b", "n": 1}, {"k": "c", "n": 1}]
    assert board.sheets["t"].page(1).below == 5


def test_complete_may_become_empty():
    assert sheet_of(table(Output.COMPLETE, {"k": "a"}), table(Output.COMPLETE)).rows == []
