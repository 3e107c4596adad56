"""Formats: the SQL that they tell Spark, and the same in Python."""

from __future__ import annotations

import json as plain_json
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import headrace as hr
from headrace.errors import InvalidOption, InvalidSchema
from headrace.registry import SERDES
from headrace.serde._serde import literal, quoted

VALUES = (
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False)
)


@given(st.dictionaries(st.text(), VALUES))
def test_json_there_and_back(row: dict[str, object]) -> None:
    assert hr.json().decode(hr.json().encode(row)) == row


def test_json_of_times_and_numbers() -> None:
    row = {"t": datetime(2026, 1, 1, tzinfo=UTC), "d": Decimal("1.50"), "b": b"\xff"}
    assert plain_json.loads(hr.json().encode(row)) == {
        "t": "2026-01-01T00:00:00+00:00", "d": "1.50", "b": "\N{REPLACEMENT CHARACTER}",
    }  # fmt: skip
    with pytest.raises(TypeError, match="object is not JSON"):
        hr.json().encode({"x": object()})


LINE = st.text(st.characters(exclude_categories=["Cs", "Cc"]))


@given(st.lists(LINE, min_size=2))
def test_csv_there_and_back(values: list[str]) -> None:
    assert hr.csv().decode(hr.csv().encode(values)) == values


def test_csv_is_in_the_order_of_the_schema_and_not_of_the_row() -> None:
    assert hr.csv("id string, n int").encode({"n": 1, "id": "a"}) == b"a,1"
    assert hr.csv("id string, n int").encode({"id": "a"}) == b"a,"
    assert hr.csv(separator=";").encode({"n": 1, "id": "a;b"}) == b'1;"a;b"'


@given(st.text())
def test_text_there_and_back(line: str) -> None:
    assert hr.text().decode(hr.text().encode(line)) == line
    assert hr.text().encode({"value": line}) == line.encode()


@given(st.binary())
def test_raw_there_and_back(value: bytes) -> None:
    assert hr.raw().decode(hr.raw().encode(value)) == value
    assert hr.raw().encode({"value": value}) == value


@pytest.mark.parametrize("name", list(SERDES))
def test_each_format_says_its_name_and_its_sql(name: str) -> None:
    serde = SERDES.get(name)()
    assert serde.text
    assert serde.schema is None
    assert "`v`" in serde.encoder(["v"])
    assert "`raw`" in serde.decoder("`raw`", "v string")


def test_the_sql_of_json() -> None:
    assert hr.json("id string").decoder("`value`", "id STRING") == (
        "from_json(CAST(`value` AS STRING), 'id STRING, __headrace_corrupt STRING', "
        "map('mode', 'PERMISSIVE', 'columnNameOfCorruptRecord', '__headrace_corrupt'))"
    )
    assert (
        hr.json()
        .encoder(["a", "b`c"])
        .startswith("to_json(struct(`a`, `b``c`), map('ignoreNullFields', 'false'")
    )


def test_the_sql_of_csv_keeps_its_separator_and_options() -> None:
    serde = hr.csv("id string", separator=";", options={"nullValue": "-", "mode": "FAILFAST"})
    assert serde.decoder("v", "id STRING") == (
        "from_csv(CAST(v AS STRING), 'id STRING, __headrace_corrupt STRING', map('nullValue', '-', 'mode', "
        "'PERMISSIVE', 'columnNameOfCorruptRecord', '__headrace_corrupt', 'sep', ';'))"
    )
    assert (
        serde.encoder(["id"]) == "to_csv(struct(`id`), map('nullValue', '-', 'mode', 'FAILFAST', 'sep', ';'))"
    )


def test_what_a_user_writes_cannot_leave_its_quotes() -> None:
    assert quoted("a`b") == "`a``b`"
    assert literal("it's \\ here") == "'it\\'s \\\\ here'"


@pytest.mark.parametrize("make, what", [(hr.text, "text holds"), (hr.raw, "bytes are")])
def test_one_column_means_one(make: object, what: str) -> None:
    with pytest.raises(InvalidSchema) as caught:
        make().encoder(["a", "b"])  # type: ignore[operator]
    assert caught.value.message == f"{what} one column, but there are 2: a, b"
    assert caught.value.hint == "select one column first, or write value=hr.json()"


@pytest.mark.parametrize("separator", ["", ";;"])
def test_a_separator_is_one_character(separator: str) -> None:
    with pytest.raises(InvalidOption, match="is not one character"):
        hr.csv(separator=separator)
