"""Windows: what they are called, and what contradicts itself."""

from __future__ import annotations

from typing import Any

import pytest

import headrace as hr
from headrace.errors import InvalidDuration, InvalidOption, InvalidWindow
from headrace.model.windows._window import Window


@pytest.mark.parametrize(
    "window, text",
    [
        (hr.tumbling("10 minutes"), "tumbling 10 minutes"),
        (hr.tumbling("1 hour", offset="15 minutes"), "tumbling 1 hour offset 15 minutes"),
        (hr.tumbling("10 s", on="processing"), "tumbling 10 seconds of processing time"),
        (hr.sliding("10 minutes", every="5 minutes"), "sliding 10 minutes every 5 minutes"),
        (hr.sliding("1 s", every="1 s"), "sliding 1 second every 1 second"),
        (hr.session("30 minutes"), "session gap 30 minutes"),
        (hr.session("30 minutes", on="ingestion"), "session gap 30 minutes of ingestion time"),
        (hr.cumulative("1 hour", "1 day"), "cumulative 1 hour up to 1 day"),
        (
            hr.cumulative("1 s", "1 s", on="processing"),
            "cumulative 1 second up to 1 second of processing time",
        ),
        (hr.trailing("90 s"), "trailing 90 seconds"),
        (hr.trailing("90 s", on="ingestion"), "trailing 90 seconds of ingestion time"),
        (hr.count(3), "count 3"),
        (hr.count(3, every=1), "count 3 every 1"),
        (hr.delta("t", 3), "delta 3 of t"),
        (hr.delta("t - 1", 0.1234567), "delta 0.1234567 of t - 1"),
        (hr.punctuated(end="a"), "punctuated end a"),
        (hr.punctuated(begin="a", end="b"), "punctuated begin a, end b"),
        (hr.punctuated(begin="a"), "punctuated begin a"),
        (hr.all_time(), "all time"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_windows_in_words(window: Window, text: str) -> None:
    assert window.text == text


def test_windows_are_values() -> None:
    assert hr.tumbling("1 minute") == hr.tumbling("60 s")
    assert hr.tumbling("1 minute") != hr.tumbling("1 minute", on="processing")


SPECS = [
    (hr.tumbling("10 s", offset="1 s"), {"kind": "aligned", "size": 10_000_000, "every": 10_000_000, "offset": 1_000_000}),
    (hr.sliding("10 s", every="5 s"), {"kind": "aligned", "size": 10_000_000, "every": 5_000_000, "offset": 0}),
    (hr.cumulative("1 s", "3 s"), {"kind": "cumulative", "step": 1_000_000, "size": 3_000_000}),
    (hr.session("2 s"), {"kind": "session", "gap": 2_000_000}),
    (hr.trailing("2 s"), {"kind": "trailing", "size": 2_000_000}),
    (hr.count(3), {"kind": "count", "n": 3, "every": 3}),
    (hr.count(3, every=2), {"kind": "count", "n": 3, "every": 2}),
    (hr.delta("v", 3), {"kind": "delta", "threshold": 3.0}),
    (hr.punctuated(end="e"), {"kind": "punctuated", "begin": False, "end": True}),
    (hr.punctuated(begin="b", end="e"), {"kind": "punctuated", "begin": True, "end": True}),
    (hr.all_time(), {"kind": "all_time"}),
]  # fmt: skip


@pytest.mark.parametrize(
    "window, spec", SPECS, ids=lambda value: value.get("kind") if isinstance(value, dict) else ""
)
def test_windows_as_plain_data(window: Window, spec: dict[str, Any]) -> None:
    assert window.spec() == spec


def test_what_windows_ask_of_each_row() -> None:
    def asked(window: Window) -> dict[str, str]:
        return {name: str(found) for name, found in window.expressions().items()}

    assert asked(hr.delta("v", 3)) == {"delta": "v"}
    assert asked(hr.punctuated(end="e", begin="b")) == {"begin": "b", "end": "e"}
    assert asked(hr.punctuated(begin="b")) == {"begin": "b"}
    assert asked(hr.session("1 s")) == asked(hr.tumbling("1 s")) == asked(hr.all_time()) == {}


def test_a_gap_may_be_a_column() -> None:
    class Column:
        __module__ = "pyspark.sql.column"

        def __repr__(self) -> str:
            return "Column<'gap'>"

    window = hr.session(Column())  # type: ignore[arg-type]
    assert window.text == "session gap gap"
    assert window.spec() == {"kind": "session", "gap": None}
    assert {name: str(found) for name, found in window.expressions().items()} == {"gap": "gap"}


def test_what_ends_a_window() -> None:
    timed = [hr.tumbling("1 s"), hr.sliding("1 s", every="1 s"), hr.session("1 s"), hr.trailing("1 s")]
    assert all(window.ends_in_event_time for window in [*timed, hr.cumulative("1 s", "1 s")])
    assert hr.tumbling("1 s", on="ingestion").ends_in_event_time
    rows = [hr.count(1), hr.delta("v", 1), hr.punctuated(end="e"), hr.all_time()]
    assert not any(window.ends_in_event_time for window in [*rows, hr.tumbling("1 s", on="processing")])
    assert [window for window in [*timed, *rows] if not window.has_bounds] == [hr.all_time()]


def refused(make: Any) -> tuple[type, str, str | None]:
    with pytest.raises((InvalidWindow, InvalidDuration, InvalidOption)) as caught:
        make()
    return type(caught.value), caught.value.message, caught.value.hint


def test_a_slide_longer_than_the_window_loses_rows() -> None:
    assert refused(lambda: hr.sliding("5 seconds", every="10 seconds")) == (
        InvalidWindow,
        "slide 10 seconds > size 5 seconds loses the rows between windows",
        "use every <= 5 seconds",
    )


@pytest.mark.parametrize("offset", ["1 minute", "61 s"])
def test_an_offset_is_below_the_size(offset: str) -> None:
    kind, message, hint = refused(lambda: hr.tumbling("1 minute", offset=offset))
    assert kind is InvalidWindow
    assert message.endswith(">= size 1 minute shifts the windows past themselves")
    assert hint == "use an offset below 1 minute"


def test_lengths_are_checked_by_name() -> None:
    assert refused(lambda: hr.tumbling("0 s"))[1] == "size 0 microseconds is zero"
    assert refused(lambda: hr.sliding("1 s", every="-1 s"))[1] == "every -1 second is negative"
    assert refused(lambda: hr.session("soon"))[1] == "gap 'soon' is not a length of time"
    assert refused(lambda: hr.tumbling("1 s", offset="-1 ms"))[1] == "offset -1 millisecond is negative"


def test_a_time_that_is_none_of_the_three() -> None:
    assert refused(lambda: hr.tumbling("1 s", on="evnt")) == (
        InvalidOption,
        "no time 'evnt'",
        "did you mean 'event'? (the times are: event, ingestion, processing)",
    )


BAD: dict[str, tuple[Any, str, str]] = {
    "step > size": (
        lambda: hr.cumulative("1 day", "1 hour"),
        "step 1 day > size 1 hour: the step comes first, and is the shorter",
        "write hr.cumulative('1 hour', '1 day')",
    ),
    "step does not divide": (
        lambda: hr.cumulative("7 minutes", "1 hour"),
        "step 7 minutes does not divide size 1 hour: the last step would be cut short",
        "use a step that goes into 1 hour a whole number of times",
    ),
    "every > n": (
        lambda: hr.count(3, every=5),
        "every 5 rows > 3 rows loses the rows between windows",
        "use every <= 3",
    ),
    "no rows": (
        lambda: hr.count(0), "n 0 is not a number of rows", "give a whole number above zero: hr.count(100)",
    ),
    "every no rows": (
        lambda: hr.count(3, every=0), "every 0 is not a number of rows",
        "give a whole number above zero: hr.count(100)",
    ),
    "half a row": (
        lambda: hr.count(2.5), "n 2.5 is not a number of rows",
        "give a whole number above zero: hr.count(100)",
    ),
    "a count in words": (
        lambda: hr.count("10 s"), "n '10 s' is not a number of rows",
        "give a whole number above zero: hr.count(100)",
    ),
    "threshold 0": (
        lambda: hr.delta("v", 0), "threshold 0 would end a window at every row",
        "use a threshold above zero, or hr.count(1) for a window a row",
    ),
    "threshold below 0": (
        lambda: hr.delta("v", -2.5), "threshold -2.5 would end a window at every row",
        "use a threshold above zero, or hr.count(1) for a window a row",
    ),
    "threshold nan": (
        lambda: hr.delta("v", float("nan")), "threshold nan is not a number",
        "write hr.delta('temperature', 0.5)",
    ),
    "threshold in words": (
        lambda: hr.delta("v", "1"), "threshold '1' is not a number", "write hr.delta('temperature', 0.5)",
    ),
    "punctuated by nothing": (
        lambda: hr.punctuated(),
        "punctuated() was told neither where a window begins nor where it ends",
        """give a condition: hr.punctuated(end="kind = 'logout'")""",
    ),
}  # fmt: skip


@pytest.mark.parametrize("make, message, hint", BAD.values(), ids=BAD)
def test_windows_that_contradict_themselves(make: Any, message: str, hint: str) -> None:
    assert refused(make) == (InvalidWindow, message, hint)
