"""The shape of a key's state: columns as text, as a Spark type, or as a dataclass."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Union, get_args, get_origin, get_type_hints

from headrace.errors import InvalidSchema
from headrace.model.process import State
from headrace.model.schema import Declared, Schema, schema
from headrace.origin import here

DeclaredState = Declared | type[Any] | None
SIMPLE: dict[Any, str] = {
    bool: "boolean",
    int: "bigint",
    float: "double",
    str: "string",
    bytes: "binary",
    datetime: "timestamp",
    date: "date",
    Decimal: "decimal(38,18)",
}


@dataclasses.dataclass(frozen=True)
class Shape:
    """The columns of a state; `kind` is the user's dataclass, where they come from one."""

    schema: Schema | None
    kind: type[Any] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.schema.names) if self.schema is not None else ()

    @property
    def text(self) -> str:
        return " ".join(str(self.schema).split()) if self.schema is not None else ""

    def factory(self) -> Callable[..., Any]:
        """Makes a state, with its columns by name or as new."""
        return self.kind or state_type(self.names)


def shape(declared: DeclaredState) -> Shape:
    """Take what the user said of the state, or say what would have been taken."""
    if declared is None:
        return Shape(None)
    if isinstance(declared, type):
        return _of_dataclass(declared)
    if dataclasses.is_dataclass(declared):
        raise InvalidSchema(
            f"the state is an object of {type(declared).__name__}",
            hint=f"give the class: state={type(declared).__name__}",
        )
    found = schema(declared)
    _checked(found.names)
    return Shape(found)


def state_type(names: tuple[str, ...]) -> type[State]:
    """A type with these columns as attributes, which start as None; any other name is an error."""

    def begin(self: State, **values: Any) -> None:
        for name in names:
            setattr(self, name, values.get(name))

    return type("State", (State,), {"__slots__": names, "__init__": begin})


def _checked(names: list[str]) -> None:
    for name in names:
        if not name.isidentifier() or name.startswith("_"):
            raise InvalidSchema(
                f"a state cannot have the column '{name}': it is no name of a Python attribute",
                hint="name it with letters, digits and _, as in state='total double'",
            )
        if hasattr(State, name):
            raise InvalidSchema(
                f"a state cannot have the column '{name}', which it has as a method",
                hint="give the column another name",
            )
    if len({name.lower() for name in names}) < len(names):
        raise InvalidSchema("two columns of the state have one name", hint="give one of them another")


def _of_dataclass(kind: type[Any]) -> Shape:
    name = kind.__name__
    if not dataclasses.is_dataclass(kind):
        raise InvalidSchema(
            f"the state {name} is no dataclass",
            hint="write @dataclass above it, or give columns: state='n long, last timestamp'",
        )
    if kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        raise InvalidSchema(f"the state {name} is frozen, and could not change", hint="leave frozen=True out")
    fields = dataclasses.fields(kind)
    for field in fields:
        if not field.init or (
            field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        ):
            raise InvalidSchema(
                f"the state {name} cannot begin: '{field.name}' has no default",
                hint=f"give it one: {field.name}: … = 0",
            )
    hints = get_type_hints(kind)
    columns = [f"{field.name} {_column(hints[field.name], name, field.name)}" for field in fields]
    return Shape(Schema(", ".join(columns), origin=here()), kind)


def _column(hint: Any, kind: str, field: str) -> str:
    if hint in SIMPLE:
        return SIMPLE[hint]
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        inner = [part for part in parts if part is not type(None)]
        if len(inner) == 1:
            return _column(inner[0], kind, field)
    if origin is list and parts:
        return f"array<{_column(parts[0], kind, field)}>"
    if origin is dict and parts:
        return f"map<{_column(parts[0], kind, field)}, {_column(parts[1], kind, field)}>"
    raise InvalidSchema(
        f"the state {kind} has a field '{field}' of {getattr(hint, '__name__', hint)}, which is no column",
        hint=f"a field is one of {', '.join(each.__name__ for each in SIMPLE)}, "
        "a list[…] or dict[…, …] of those, or … | None",
    )
