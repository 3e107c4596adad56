"""A trigger that fires once, after so many rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.errors import InvalidTrigger
from headrace.model.expression import Expr
from headrace.model.triggers._trigger import Trigger


@dataclass(frozen=True, slots=True)
class AfterCount(Trigger):
    """Fires once `n` rows have come since it began, and is finished."""

    n: int

    @property
    def text(self) -> str:
        return f"after {self.n} row{'' if self.n == 1 else 's'}"

    @property
    def finishes(self) -> bool:
        return True

    def spec(self, predicates: list[Expr]) -> dict[str, Any]:
        return {"kind": "after_count", "n": self.n}


def after_count(n: int) -> AfterCount:
    """Fire once, when `n` rows have come; `repeat(after_count(n))` fires at every n-th.

    >>> after_count(100).text
    'after 100 rows'
    """
    if not isinstance(n, int) or isinstance(n, bool):
        raise InvalidTrigger(
            f"after_count({n!r}) is not a number of rows", hint="give a whole number: hr.after_count(100)"
        )
    if not 0 < n < 2**63:
        raise InvalidTrigger(f"after_count({n}) can never fire", hint="give a number of rows above zero")
    return AfterCount(n)
