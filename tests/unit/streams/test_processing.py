"""What process() takes, and how it says that it does not take a thing."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql.types import LongType, StructType

import headrace as hr
from headrace.errors import InvalidOption, InvalidSchema
from headrace.model.state import shape
from headrace.streams.keyed import KeyedStream


class Both:
    def row(self, row: Any, state: Any, timers: Any) -> Any: ...

    def timer(self, timer: Any, state: Any) -> Any: ...


class RowsAlone:
    def row(self, row: Any, state: Any) -> Any: ...


@dataclass
class Everything:
    whole: int = 0
    part: float = 0.0
    text: str = ""
    yes: bool = False
    raw: bytes = b""
    when: datetime | None = None
    day: date | None = None
    exact: Decimal = Decimal(0)
    several: list[int] = field(default_factory=list)
    named: dict[str, list[float]] = field(default_factory=dict)


@dataclass
class NoDefault:
    n: int


@dataclass(frozen=True)
class Frozen:
    n: int = 0


@dataclass
class Strange:
    n: complex = 0j


class Plain:
    n = 0


@pytest.fixture
def keyed() -> KeyedStream:
    return hr.App("job").read(hr.kafka("rows", value=hr.json("id string"))).key_by("id")


def test_two_functions_or_an_object_with_both(keyed: KeyedStream) -> None:
    node: Any = keyed.process(lambda row, state, timers: None, "x int", on_timer=print)._node
    assert node.on_timer is print
    node = keyed.process(Both(), "x int")._node
    assert node.function.__name__ == "row"
    assert node.text == "by id: Both to x int"
    assert keyed.process(RowsAlone(), "x int")._node.on_timer is None  # type: ignore[attr-defined]


def test_timers_may_be_left_out(keyed: KeyedStream) -> None:
    node: Any = keyed.process(lambda row, state: (row, state), "x int")._node
    assert node.function("row", "state", "timers") == ("row", "state")


FUNCTIONS: dict[str, tuple[Any, Any, str, str]] = {
    "a class": (Both, None, "Both is a class", "give an object of it: .process(Both(), …)"),
    "nothing that can be called": (
        3, None, "3 is not a function",
        "give a function of a row, the key's state and its timers, or an object with a method row()",
    ),
    "timers twice": (
        Both(), print, "Both and on_timer= both take timers", "leave on_timer out: Both.timer() takes them",
    ),
    "a timer's that cannot be called": (
        print, 3, "on_timer=3 is not a function", "give a function of a timer, state and timers",
    ),
    "too few parameters": (
        lambda row: None, None, "<lambda>(row) cannot be called with a row, the key's state and its timers",
        "write def <lambda>(row, state, timers)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("function, on_timer, message, hint", FUNCTIONS.values(), ids=FUNCTIONS)
def test_functions_that_do_not_fit(
    keyed: KeyedStream, function: Any, on_timer: Any, message: str, hint: str
) -> None:
    with pytest.raises(InvalidOption) as caught:
        keyed.process(function, "x int", on_timer=on_timer)
    assert (caught.value.message, caught.value.hint) == (message, hint)
    assert caught.value.origin is not None
    assert caught.value.origin.code == 'keyed.process(function, "x int", on_timer=on_timer)'


def test_a_dataclass_as_columns() -> None:
    assert shape(Everything).text == (
        "whole bigint, part double, text string, yes boolean, raw binary, when timestamp, day date, "
        "exact decimal(38,18), several array<bigint>, named map<string, array<double>>"
    )


def test_a_state_by_its_columns() -> None:
    found = shape("n long,  last timestamp")
    assert (found.text, found.names) == ("n long, last timestamp", ("n", "last"))
    state = found.factory()(n=3)
    assert (state.n, state.last, state.get("last", 5), state.get("n", 5)) == (3, None, 5, 3)
    state.set(n=4, last="now")
    assert repr(state) == "State(n=4, last='now')"
    state.clear()
    assert (state.n, state.last) == (None, None)
    with pytest.raises(AttributeError, match="'State' object has no attribute 'm'"):
        state.m = 1
    assert shape(None).names == ()
    assert shape(StructType().add("n", LongType())).names == ("n",)


SHAPES: dict[str, tuple[Any, str, str]] = {
    "an object": (Everything(), "the state is an object of Everything", "give the class: state=Everything"),
    "no dataclass": (
        Plain, "the state Plain is no dataclass",
        "write @dataclass above it, or give columns: state='n long, last timestamp'",
    ),
    "no default": (NoDefault, "the state NoDefault cannot begin: 'n' has no default", "give it one: n: … = 0"),
    "frozen": (Frozen, "the state Frozen is frozen, and could not change", "leave frozen=True out"),
    "no column": (
        Strange, "the state Strange has a field 'n' of complex, which is no column",
        "a field is one of bool, int, float, str, bytes, datetime, date, Decimal, "
        "a list[…] or dict[…, …] of those, or … | None",
    ),
    "a method's name": (
        "n long, clear long", "a state cannot have the column 'clear', which it has as a method",
        "give the column another name",
    ),
    "no name": (
        "`a-b` long", "a state cannot have the column 'a-b': it is no name of a Python attribute",
        "name it with letters, digits and _, as in state='total double'",
    ),
    "a name twice": ("n long, N long", "two columns of the state have one name", "give one of them another"),
}  # fmt: skip


@pytest.mark.parametrize("state, message, hint", SHAPES.values(), ids=SHAPES)
def test_states_that_cannot_be(keyed: KeyedStream, state: Any, message: str, hint: str) -> None:
    with pytest.raises(InvalidSchema) as caught:
        keyed.process(lambda row, state: None, "x int", state=state)
    assert (caught.value.message, caught.value.hint) == (message, hint)
