from __future__ import annotations

from datetime import UTC, datetime

import pytest

from headrace.broker.admin import missing
from headrace.broker.decoding import text_of, value_of
from headrace.broker.records import Delivery, Incoming, Start, begin_of, start_of
from headrace.errors import InvalidOption


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (None, None),
        (b"", ""),
        ("café".encode(), "café"),
        (b"\xff\x01", "0xff01"),
        (b"\x00\x00\x00\x01", "0x00000001"),
    ],
)
def test_text(data: bytes | None, text: str | None) -> None:
    assert text_of(data) == text


@pytest.mark.parametrize(
    ("data", "value"), [(b'{"a": 1}', {"a": 1}), (b" [1]", [1]), (b"42", "42"), (b"{no", "{no"), (None, None)]
)
def test_value(data: bytes | None, value: object) -> None:
    assert value_of(data) == value


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("beginning", "beginning"),
        ("earliest", "beginning"),
        ("end", "end"),
        ("latest", "end"),
        ("17", 17),
        ("2026-01-31T12:00", datetime(2026, 1, 31, 12, tzinfo=UTC)),
    ],
)
def test_start(text: str, start: Start) -> None:
    assert start_of(text) == start


def test_no_start() -> None:
    with pytest.raises(InvalidOption, match=r"^start 'soon' is not a moment in time"):
        start_of("soon")


@pytest.mark.parametrize(("start", "offset"), [("beginning", 5), ("end", 9), (7, 7), (0, 5), (99, 9)])
def test_a_start_lies_within_the_partition(start: Start, offset: int) -> None:
    assert begin_of(start, 5, 9) == offset


def test_a_record_as_json_shows_it() -> None:
    record = Incoming("t", 1, 2, datetime(2026, 1, 1, tzinfo=UTC), b"k", b'{"a":1}', (("h", b"\xff"),))
    assert record.as_dict() == {
        "topic": "t",
        "partition": 1,
        "offset": 2,
        "timestamp": "2026-01-01T00:00:00.000+00:00",
        "key": "k",
        "value": {"a": 1},
        "headers": {"h": "0xff"},
    }


def test_deliveries_are_counted_by_their_error() -> None:
    class TooLarge:
        def str(self) -> str:
            return "too large"

    told = Delivery()
    for error in (None, TooLarge(), TooLarge()):
        told.note(error, None)
    assert (told.delivered, told.failed, told.errors) == (1, 2, {"too large": 2})


def test_a_missing_topic_names_the_nearest() -> None:
    assert str(missing("alarm", ["alarms", "counts", "__consumer_offsets"])) == (
        "no topic 'alarm'\n  hint: did you mean 'alarms'? (the topics are: alarms, counts); "
        "make it with `headrace topic create alarm`"
    )
