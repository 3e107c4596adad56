"""A trigger that fires when one of several does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.model.expression import Expr
from headrace.model.triggers._trigger import Trigger, firing, listed, triggers


@dataclass(frozen=True, slots=True)
class AnyOf(Trigger):
    """Fires when one of its parts does, and is finished when one is."""

    several: tuple[Trigger, ...]

    @property
    def text(self) -> str:
        return f"any of ({listed(self.parts)})"

    @property
    def parts(self) -> tuple[Trigger, ...]:
        return self.several

    @property
    def fires(self) -> bool:
        return any(part.fires for part in self.parts)

    @property
    def finishes(self) -> bool:
        return any(part.finishes for part in self.parts)

    def spec(self, predicates: list[Expr]) -> dict[str, Any]:
        return {"kind": "any_of", "parts": [part.spec(predicates) for part in self.parts]}


def any_of(*several: Trigger) -> AnyOf:
    """Fire when one of these does.

    >>> from headrace.model.triggers.each_row import each_row
    >>> any_of(each_row(), each_row()).text
    'any of (each row, each row)'
    """
    return firing(AnyOf(triggers(several, "any_of()")))
