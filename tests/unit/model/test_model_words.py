"""Schemas, expressions and modes, without Spark."""

from __future__ import annotations

import pytest

from headrace.errors import InvalidExpression, InvalidSchema
from headrace.model.delivery import Delivery, Guarantee, weakest
from headrace.model.expression import expr
from headrace.model.modes import Mode, Output
from headrace.model.schema import schema


@pytest.mark.parametrize(
    "ddl, names",
    [
        ("id string, n int", ["id", "n"]),
        ("id: string", ["id"]),
        ("a decimal(10, 2), b array<struct<x: int, y: map<string, int>>>, c date", ["a", "b", "c"]),
    ],
)
def test_names_of_a_schema_without_spark(ddl: str, names: list[str]) -> None:
    assert schema(ddl).names == names


@pytest.mark.parametrize("declared", ["", "  ", None, 3, ["id string"]])
def test_what_is_no_schema(declared: object) -> None:
    with pytest.raises(InvalidSchema, match="is not a schema") as caught:
        schema(declared)  # type: ignore[arg-type]
    assert caught.value.hint == "write 'station_id string, value double', or give a pyspark StructType"


def test_an_expression_remembers_its_line_and_name() -> None:
    found = expr("value > 3", "hot")
    assert str(found) == "hot = value > 3"
    assert found.origin is not None and found.origin.code == 'found = expr("value > 3", "hot")'


@pytest.mark.parametrize("value", [3, None, ["a"]])
def test_what_is_no_expression(value: object) -> None:
    with pytest.raises(InvalidExpression, match="is neither a SQL string nor a Spark Column"):
        expr(value)  # type: ignore[arg-type]


def test_an_empty_expression() -> None:
    with pytest.raises(InvalidExpression, match="an expression is empty"):
        expr("  ")


def test_modes_know_whether_they_end() -> None:
    assert [mode for mode in Mode if mode.ends] == [Mode.BATCH, Mode.AVAILABLE_NOW]
    assert [mode for mode in Mode if not mode.streaming] == [Mode.BATCH]
    assert sorted(Output) == ["append", "complete", "update"]


def test_the_weakest_promise_counts() -> None:
    once = Guarantee(Delivery.EXACTLY_ONCE, "a")
    least = Guarantee(Delivery.AT_LEAST_ONCE, "b")
    most = Guarantee(Delivery.AT_MOST_ONCE, "c")
    assert weakest([once, most, least]) is most
    assert weakest([once, least]) is least
    assert str(least.delivery) == "at-least-once"
