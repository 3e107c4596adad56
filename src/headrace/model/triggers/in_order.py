"""Triggers that follow one another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.errors import InvalidTrigger
from headrace.model.expression import Expr
from headrace.model.triggers._trigger import Trigger, firing, listed, triggers


@dataclass(frozen=True, slots=True)
class InOrder(Trigger):
    """Fires as its first part does until that is finished, then as the next; finished with the last."""

    several: tuple[Trigger, ...]

    @property
    def text(self) -> str:
        return f"in order ({listed(self.parts)})"

    @property
    def parts(self) -> tuple[Trigger, ...]:
        return self.several

    @property
    def fires(self) -> bool:
        return any(part.fires for part in self.parts)

    @property
    def finishes(self) -> bool:
        return self.parts[-1].finishes

    def spec(self, predicates: list[Expr]) -> dict[str, Any]:
        return {"kind": "in_order", "parts": [part.spec(predicates) for part in self.parts]}


def in_order(*several: Trigger) -> InOrder:
    """Fire as the first of these does until it is finished, then as the next does.

    >>> from headrace.model.triggers.after_count import after_count
    >>> in_order(after_count(1), after_count(10)).text
    'in order (after 1 row, after 10 rows)'
    """
    parts = triggers(several, "in_order()")
    for part in parts[:-1]:
        if not part.finishes:
            raise InvalidTrigger(
                f"in_order() would never get past '{part.text}', which has no end",
                hint="end it: .until(hr.after_count(100)); what goes by the watermark comes from"
                " hr.at_watermark(early=…, late=…)",
            )
    return firing(InOrder(parts))
