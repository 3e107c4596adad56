"""Lengths of time and instants: what is read, what is refused, what is shown."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.errors import InvalidDuration, InvalidOption
from headrace.time import epoch_micros, from_epoch_micros, instant, micros, show


@pytest.mark.parametrize(
    "text, length",
    [
        ("10 seconds", 10_000_000),
        ("1 second", 1_000_000),
        ("250 ms", 250_000),
        ("250ms", 250_000),
        ("7 us", 7),
        ("1.5 minutes", 90_000_000),
        ("1 minute 30 s", 90_000_000),
        ("1h30m", 5_400_000_000),
        ("1 Day", 86_400_000_000),
        ("2 weeks", 1_209_600_000_000),
        (" 3 min ", 180_000_000),
        (timedelta(milliseconds=1, microseconds=5), 1005),
    ],
)
def test_lengths_are_read(text: str | timedelta, length: int) -> None:
    assert micros(text) == length


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "10",
        "ten seconds",
        "10 fortnights",
        "10 seconds later",
        "5 , 6 s",
        "s",
        "1 second, 2 ms",
        "1e3 s",
    ],
)
def test_what_is_no_length_is_refused(text: str) -> None:
    with pytest.raises(InvalidDuration) as refused:
        micros(text, "gap")
    assert refused.value.message == f"gap '{text}' is not a length of time"
    assert refused.value.hint == (
        "write a number and a unit: '10 seconds', '5 minutes', '1 hour 30 minutes', '250 ms'"
    )


def test_a_bare_number_has_no_unit() -> None:
    with pytest.raises(InvalidDuration, match="size 10 has no unit") as refused:
        micros(10, "size")  # type: ignore[arg-type]
    assert refused.value.hint == "write '10 seconds', or a datetime.timedelta"


@pytest.mark.parametrize(
    "length, told",
    [("0 s", "size 0 microseconds is zero"), ("-5 minutes", "size -5 minutes is negative"),
     (timedelta(seconds=-1), "size -1 second is negative")],
)  # fmt: skip
def test_a_length_is_above_zero(length: str | timedelta, told: str) -> None:
    with pytest.raises(InvalidDuration) as refused:
        micros(length, "size")
    assert refused.value.message == told


def test_zero_where_zero_is_allowed() -> None:
    assert micros("0 seconds", zero=True) == 0
    with pytest.raises(InvalidDuration, match="is negative"):
        micros("-1 ms", zero=True)


@given(st.integers(min_value=1, max_value=10**15))
def test_what_is_shown_can_be_read_again(length: int) -> None:
    assert micros(show(length)) == length


@given(st.timedeltas(min_value=timedelta(microseconds=1), max_value=timedelta(days=3650)))
def test_a_timedelta_keeps_each_microsecond(length: timedelta) -> None:
    assert timedelta(microseconds=micros(length)) == length


@pytest.mark.parametrize(
    "length, text",
    [(1, "1 microseconds"), (1000, "1 millisecond"), (90_000_000, "90 seconds"), (604_800_000_000, "1 week"),
     (-60_000_000, "-1 minute"), (0, "0 microseconds")],
)  # fmt: skip
def test_lengths_are_shown_in_their_largest_whole_unit(length: int, text: str) -> None:
    assert show(length) == text


def test_an_instant_without_a_zone_is_utc() -> None:
    noon = datetime(2026, 1, 31, 12, tzinfo=UTC)
    assert instant("2026-01-31T12:00:00") == noon
    assert instant("2026-01-31T14:00:00+02:00") == noon
    assert instant(datetime(2026, 1, 31, 12)) == noon  # noqa: DTZ001
    assert instant(datetime(2026, 1, 31, 13, tzinfo=timezone(timedelta(hours=1)))).tzinfo is UTC


def test_what_is_no_instant_is_refused() -> None:
    with pytest.raises(InvalidOption) as refused:
        instant("yesterday", "start")
    assert refused.value.message == "start 'yesterday' is not a moment in time"
    assert "ISO 8601" in str(refused.value.hint)


@given(st.integers(min_value=-(10**15), max_value=4 * 10**15))
def test_epoch_microseconds_there_and_back(moment: int) -> None:
    assert epoch_micros(from_epoch_micros(moment)) == moment
