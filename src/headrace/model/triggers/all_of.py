"""A trigger that fires when each of several has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.model.expression import Expr
from headrace.model.triggers._trigger import Trigger, firing, listed, triggers


@dataclass(frozen=True, slots=True)
class AllOf(Trigger):
    """Fires once, when each of its parts has fired since it began, and is finished."""

    several: tuple[Trigger, ...]

    @property
    def text(self) -> str:
        return f"all of ({listed(self.parts)})"

    @property
    def parts(self) -> tuple[Trigger, ...]:
        return self.several

    @property
    def fires(self) -> bool:
        return all(part.fires for part in self.parts)

    @property
    def finishes(self) -> bool:
        return self.fires

    def spec(self, predicates: list[Expr]) -> dict[str, Any]:
        return {"kind": "all_of", "parts": [part.spec(predicates) for part in self.parts]}


def all_of(*several: Trigger) -> AllOf:
    """Fire once, when each of these has fired.

    >>> from headrace.model.triggers.each_row import each_row
    >>> all_of(each_row(), each_row()).text
    'all of (each row, each row)'
    """
    return firing(AllOf(triggers(several, "all_of()")))
