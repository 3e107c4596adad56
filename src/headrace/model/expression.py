"""An expression as the user wrote it: a SQL string or a Spark Column, and the line it stands on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeGuard

from headrace.errors import InvalidExpression
from headrace.origin import Origin, here

if TYPE_CHECKING:
    from pyspark.sql import Column

    Expression = str | Column
else:
    Expression = Any


@dataclass(frozen=True, eq=False, slots=True)
class Expr:
    """A SQL string or a Spark Column, with an optional name for its result."""

    value: Expression
    name: str | None = None
    origin: Origin | None = None

    def __str__(self) -> str:
        text = self.value if isinstance(self.value, str) else column_text(self.value)
        return f"{self.name} = {text}" if self.name else text


def expr(value: Expression, name: str | None = None) -> Expr:
    """Take what the user gave, or say what would have been taken."""
    if isinstance(value, str):
        if not value.strip():
            raise InvalidExpression("an expression is empty", hint="write SQL such as 'value > 3'")
        return Expr(value, name, here())
    if is_column(value):
        return Expr(value, name, here())
    raise InvalidExpression(
        f"{value!r} is neither a SQL string nor a Spark Column",
        hint="write SQL in quotes ('value > 3'), or pyspark.sql.functions (F.col('value') > 3)",
    )


def is_column(value: object) -> TypeGuard[Column]:
    """Told without importing Spark: whoever made a Column has imported it."""
    return any(
        kind.__name__ == "Column" and kind.__module__.startswith("pyspark.sql")
        for kind in type(value).__mro__
    )


def column_text(column: Any) -> str:
    text = repr(column)
    return text[len("Column<'") : -len("'>")] if text.startswith("Column<'") else text
