# ruff: noqa: DTZ001 (Spark hands rows over with times that carry no zone)
"""Values as short text."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from pyspark.sql import Row

from headrace.terminal.cells import bounds, column, plain

TODAY = date(2026, 1, 2)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (7, "7"),
        (3.14159265, "3.14159"),
        (float("nan"), "nan"),
        (Decimal("1.50"), "1.50"),
        (b"abc", "abc"),
        (b"\xff\x00", "0xff00"),
        (timedelta(minutes=5), "5 minutes"),
        ({"a": 1, "b": None}, "{a: 1, b: null}"),
        (Row(a=1, b="x"), "{a: 1, b: x}"),
        ([1.0, "x"], "[1, x]"),
        ("two\nlines\x1b[31m", r"two\nlines\x1b[31m"),
        ("Köln 東京", "Köln 東京"),
        ("x" * 60, "x" * 47 + "…"),
    ],
)
def test_text_of_one_value(value, text):
    assert column([value], TODAY) == [text]


def test_times_of_today_go_without_their_day():
    assert column([datetime(2026, 1, 2, 12, 0, 5)], TODAY) == ["12:00:05"]


def test_times_of_several_days_all_show_their_day():
    values = [datetime(2026, 1, 2, 12), datetime(2026, 1, 1, 12)]

    assert column(values, TODAY) == ["2026-01-02 12:00:00", "2026-01-01 12:00:00"]


def test_times_with_a_zone_are_shown_in_utc():
    assert column([datetime(2026, 1, 2, 12, tzinfo=timezone(timedelta(hours=2)))], TODAY) == ["10:00:00"]


def test_fractions_show_where_any_time_has_one():
    values = [datetime(2026, 1, 2, 12), datetime(2026, 1, 2, 12, 0, 0, 250_000)]

    assert column(values, TODAY) == ["12:00:00.000", "12:00:00.250"]


def test_a_window_is_one_cell():
    window = Row(start=datetime(2026, 1, 2, 23, 50), end=datetime(2026, 1, 3))

    assert column([window], TODAY) == ["23:50:00–00:00:00"]
    assert column([window], date(2026, 5, 1)) == ["2026-01-02 23:50:00–00:00:00"]


def test_a_window_of_days_shows_both_days():
    window = {"start": datetime(2026, 1, 1), "end": datetime(2026, 1, 8)}

    assert column([window], TODAY) == ["2026-01-01 00:00:00–2026-01-08 00:00:00"]


def test_a_struct_with_more_than_start_and_end_is_no_window():
    assert bounds({"start": datetime(2026, 1, 1), "end": datetime(2026, 1, 2), "n": 1}) is None


def test_plain_values_for_json():
    row = Row(
        at=datetime(2026, 1, 1, tzinfo=UTC), raw=b"\x00", n=float("inf"), d=Decimal("1.5"), many=[Row(a=1)]
    )

    assert plain(row) == {
        "at": "2026-01-01T00:00:00+00:00",
        "raw": "AA==",
        "n": "inf",
        "d": "1.5",
        "many": [{"a": 1}],
    }
