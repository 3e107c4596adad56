"""The functions that `KeyedStream.process` takes, once it is sure that they can be called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from inspect import signature
from typing import Any

from headrace.errors import InvalidOption
from headrace.model.expression import Expr
from headrace.model.schema import Declared, schema
from headrace.model.state import DeclaredState, shape
from headrace.origin import here
from headrace.plan.nodes import Node, function_name
from headrace.plan.process import Process

Called = Callable[..., Any]


def processed(
    node: Node,
    keys: tuple[Expr, ...],
    function: Any,
    declared: Declared,
    state: DeclaredState,
    on_timer: Called | None,
) -> Process:
    """The node of `process(function, …)`."""
    row, timer = _functions(function, on_timer)
    return Process(
        input=node,
        keys=keys,
        function=_taking(row, "row"),
        on_timer=_taking(timer, "timer") if timer is not None else None,
        schema=replace(schema(declared), origin=here()),
        state=shape(state),
        named=function,
        origin=here(),
    )


def _functions(function: Any, on_timer: Called | None) -> tuple[Called, Called | None]:
    """What takes the rows and what takes the timers: a function each, or two methods of one object."""
    if isinstance(function, type):
        raise InvalidOption(
            f"{function.__name__} is a class",
            hint=f"give an object of it: .process({function.__name__}(), …)",
        )
    if callable(getattr(function, "row", None)):
        if on_timer is not None:
            raise InvalidOption(
                f"{function_name(function)} and on_timer= both take timers",
                hint=f"leave on_timer out: {function_name(function)}.timer() takes them",
            )
        found = getattr(function, "timer", None)
        return function.row, found if callable(found) else None
    if not callable(function):
        raise InvalidOption(
            f"{function!r} is not a function",
            hint="give a function of a row, the key's state and its timers, or an object with a method row()",
        )
    if on_timer is not None and not callable(on_timer):
        raise InvalidOption(
            f"on_timer={on_timer!r} is not a function", hint="give a function of a timer, state and timers"
        )
    return function, on_timer


def _taking(function: Called, what: str) -> Called:
    """The function as one of three; the last one, the timers, it may leave out."""
    try:
        found = signature(function)
    except (TypeError, ValueError):  # what is written in C may tell nothing of its parameters
        return function
    for count in (3, 2):
        try:
            found.bind(*range(count))
        except TypeError:
            continue
        return function if count == 3 else _without_timers(function)
    raise InvalidOption(
        f"{function_name(function)}{found} cannot be called with a {what}, the key's state and its timers",
        hint=f"write def {function_name(function)}({what}, state, timers)",
    )


def _without_timers(function: Called) -> Called:
    def called(given: Any, state: Any, _timers: Any) -> Any:
        return function(given, state)

    return called
