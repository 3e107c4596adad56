"""A trigger that fires at every row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.model.expression import Expr
from headrace.model.triggers._trigger import Trigger


@dataclass(frozen=True, slots=True)
class EachRow(Trigger):
    """Fires at every row of its window, and is never finished."""

    @property
    def text(self) -> str:
        return "each row"

    def spec(self, predicates: list[Expr]) -> dict[str, Any]:
        return {"kind": "each_row"}


def each_row() -> EachRow:
    """Fire at every row.

    >>> each_row().text
    'each row'
    """
    return EachRow()
