"""Triggers: what they are called, what they are as data, and those that could never fire."""

from __future__ import annotations

from typing import Any

import pytest

import headrace as hr
from headrace.errors import InvalidDuration, InvalidTrigger
from headrace.model.expression import Expr
from headrace.model.triggers._trigger import Trigger

EARLY = hr.every("30 s")
TOLD: list[tuple[Trigger, str, dict[str, Any]]] = [
    (hr.each_row(), "each row", {"kind": "each_row"}),
    (hr.never(), "never", {"kind": "never"}),
    (hr.after_count(1), "after 1 row", {"kind": "after_count", "n": 1}),
    (hr.after_count(7), "after 7 rows", {"kind": "after_count", "n": 7}),
    (hr.after_delay("2 s"), "after 2 seconds", {"kind": "after_delay", "delay": 2_000_000}),
    (hr.every("1 minute"), "every 1 minute", {"kind": "every", "every": 60_000_000}),
    (hr.when("v > 3"), "when v > 3", {"kind": "when", "predicate": 0}),
    (
        hr.any_of(hr.each_row(), hr.never()), "any of (each row, never)",
        {"kind": "any_of", "parts": [{"kind": "each_row"}, {"kind": "never"}]},
    ),
    (
        hr.all_of(hr.after_count(2), hr.after_delay("1 s")), "all of (after 2 rows, after 1 second)",
        {"kind": "all_of", "parts": [{"kind": "after_count", "n": 2}, {"kind": "after_delay", "delay": 1_000_000}]},
    ),
    (
        hr.in_order(hr.after_count(1), hr.each_row()), "in order (after 1 row, each row)",
        {"kind": "in_order", "parts": [{"kind": "after_count", "n": 1}, {"kind": "each_row"}]},
    ),
    (
        hr.repeat(hr.after_count(2)), "repeat (after 2 rows)",
        {"kind": "repeat", "part": {"kind": "after_count", "n": 2}},
    ),
    (
        hr.each_row().until(hr.after_count(2)), "(each row) until (after 2 rows)",
        {"kind": "until", "part": {"kind": "each_row"}, "end": {"kind": "after_count", "n": 2}},
    ),
    (hr.at_watermark(), "at watermark", {"kind": "at_watermark", "early": None, "late": None}),
    (
        hr.at_watermark(early=EARLY, late=hr.each_row()), "at watermark (early every 30 seconds; late each row)",
        {"kind": "at_watermark", "early": {"kind": "every", "every": 30_000_000}, "late": {"kind": "each_row"}},
    ),
    (
        hr.at_watermark(early=hr.never()), "at watermark (early never)",
        {"kind": "at_watermark", "early": {"kind": "never"}, "late": None},
    ),
]  # fmt: skip


@pytest.mark.parametrize("trigger, text, spec", TOLD, ids=[text for _trigger, text, _spec in TOLD])
def test_triggers_in_words_and_as_data(trigger: Trigger, text: str, spec: dict[str, Any]) -> None:
    assert trigger.text == text
    assert trigger.spec([]) == spec


def test_conditions_are_numbered_in_the_order_of_reading() -> None:
    found: list[Expr] = []
    trigger = hr.at_watermark(
        early=hr.when("a").until(hr.when("b")), late=hr.any_of(hr.each_row(), hr.when("c"))
    )
    assert trigger.spec(found) == {
        "kind": "at_watermark",
        "early": {
            "kind": "until",
            "part": {"kind": "when", "predicate": 0},
            "end": {"kind": "when", "predicate": 1},
        },
        "late": {"kind": "any_of", "parts": [{"kind": "each_row"}, {"kind": "when", "predicate": 2}]},
    }
    assert [str(condition) for condition in found] == ["a", "b", "c"]


def test_triggers_are_values() -> None:
    assert hr.at_watermark(early=hr.every("1 minute")) == hr.at_watermark(early=hr.every("60 s"))
    assert hr.any_of(hr.each_row()) != hr.all_of(hr.each_row())


def test_which_come_to_an_end() -> None:
    once, always = hr.after_count(1), hr.each_row()
    ending = [
        once,
        hr.after_delay("1 s"),
        hr.any_of(once, always),
        hr.all_of(always, always),
        always.until(once),
    ]
    assert all(trigger.finishes for trigger in [*ending, hr.in_order(once, once)])
    endless = [always, hr.every("1 s"), hr.when("a"), hr.never(), hr.repeat(once), hr.at_watermark()]
    assert not any(
        trigger.finishes for trigger in [*endless, hr.in_order(once, always), always.until(hr.never())]
    )


def test_which_go_by_the_watermark() -> None:
    assert hr.any_of(hr.each_row(), hr.at_watermark().until(hr.after_count(3))).asks_watermark
    assert not hr.any_of(hr.each_row(), hr.every("1 s")).asks_watermark


NEVER = "leave never() out of it; never() alone stands as early= or late= of at_watermark()"
CALL = "call it: hr.each_row(…)"
GIVE = "give one: hr.each_row(), hr.every('30 seconds'), …"
SOME = "give some: hr.after_count(100), hr.every('1 minute')"
END = "end it: .until(hr.after_count(100)); what goes by the watermark comes from hr.at_watermark(early=…, late=…)"
BAD: dict[str, tuple[Any, str, str]] = {
    "all_of never": (
        lambda: hr.all_of(hr.each_row(), hr.never()), "all of (each row, never) can never fire", NEVER
    ),
    "any_of nevers": (lambda: hr.any_of(hr.never()), "any of (never) can never fire", NEVER),
    "repeat never": (lambda: hr.repeat(hr.never()), "repeat (never) can never fire", NEVER),
    "never until never": (lambda: hr.never().until(hr.never()), "(never) until (never) can never fire", NEVER),
    "in_order never": (lambda: hr.in_order(hr.never()), "in order (never) can never fire", NEVER),
    "in_order of an endless one": (
        lambda: hr.in_order(hr.each_row(), hr.after_count(1)),
        "in_order() would never get past 'each row', which has no end", END,
    ),
    "in_order of at_watermark": (
        lambda: hr.in_order(hr.at_watermark(), hr.each_row()),
        "in_order() would never get past 'at watermark', which has no end", END,
    ),
    "after no row": (
        lambda: hr.after_count(0), "after_count(0) can never fire", "give a number of rows above zero"
    ),
    "after half a row": (
        lambda: hr.after_count(0.5), "after_count(0.5) is not a number of rows",
        "give a whole number: hr.after_count(100)",
    ),
    "none": (lambda: hr.any_of(), "any_of() was given no trigger", SOME),
    "none in order": (lambda: hr.in_order(), "in_order() was given no trigger", SOME),
    "not called": (
        lambda: hr.any_of(hr.each_row), "any_of() was given each_row, which is not a trigger", CALL
    ),
    "a word": (lambda: hr.repeat("each row"), "repeat() was given 'each row', which is not a trigger", GIVE),
    "until a length": (
        lambda: hr.each_row().until("1 s"), ".until() was given '1 s', which is not a trigger", GIVE
    ),
    "early a length": (
        lambda: hr.at_watermark(early="30 s"), "at_watermark(early=) was given '30 s', which is not a trigger", GIVE
    ),
    "a watermark before the watermark": (
        lambda: hr.at_watermark(early=hr.repeat(hr.at_watermark())),
        "at_watermark(early=) holds another at_watermark(), and a window is complete just once",
        "give early= what goes by rows or the clock: hr.each_row(), hr.every('30 seconds')",
    ),
}  # fmt: skip


@pytest.mark.parametrize("make, message, hint", BAD.values(), ids=BAD)
def test_triggers_that_make_no_sense(make: Any, message: str, hint: str) -> None:
    with pytest.raises(InvalidTrigger) as caught:
        make()
    assert (caught.value.message, caught.value.hint) == (message, hint)
    assert caught.value.origin is not None and caught.value.origin.file == __file__


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: hr.every("0 s"), "every 0 microseconds is zero"),
        (lambda: hr.every(5), "every 5 has no unit"),
        (lambda: hr.after_delay("-1 s"), "delay -1 second is negative"),
    ],
)
def test_lengths_of_triggers_are_checked_by_name(make: Any, message: str) -> None:
    with pytest.raises(InvalidDuration) as caught:
        make()
    assert caught.value.message == message
