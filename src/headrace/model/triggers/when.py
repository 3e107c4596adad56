"""A trigger that fires at rows for which a condition holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.model.expression import Expr, Expression, expr
from headrace.model.triggers._trigger import Trigger


@dataclass(frozen=True, slots=True)
class When(Trigger):
    """Fires at every row for which `predicate` holds, and is never finished."""

    predicate: Expr

    @property
    def text(self) -> str:
        return f"when {self.predicate}"

    def spec(self, predicates: list[Expr]) -> dict[str, Any]:
        predicates.append(self.predicate)
        return {"kind": "when", "predicate": len(predicates) - 1}


def when(predicate: Expression) -> When:
    """Fire at every row for which the condition holds.

    >>> when("kind = 'alarm'").text
    "when kind = 'alarm'"
    """
    return When(expr(predicate))
