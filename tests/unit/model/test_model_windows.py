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
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_windows_in_words(window: Window, text: str) -> None:
    assert window.text == text


def test_windows_are_values() -> None:
    assert hr.tumbling("1 minute") == hr.tumbling("60 s")
    assert hr.tumbling("1 minute") != hr.tumbling("1 minute", on="processing")


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
