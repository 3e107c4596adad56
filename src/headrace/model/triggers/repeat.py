"""A trigger that begins anew whenever it is finished."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.model.expression import Expr
from headrace.model.triggers._trigger import Trigger, firing, trigger


@dataclass(frozen=True, slots=True)
class Repeat(Trigger):
    """Fires as `part` does, which begins anew when it is finished."""

    part: Trigger

    @property
    def text(self) -> str:
        return f"repeat ({self.part.text})"

    @property
    def parts(self) -> tuple[Trigger, ...]:
        return (self.part,)

    @property
    def fires(self) -> bool:
        return self.part.fires

    def spec(self, predicates: list[Expr]) -> dict[str, Any]:
        return {"kind": "repeat", "part": self.part.spec(predicates)}


def repeat(part: Trigger) -> Repeat:
    """Fire as this does, again and again.

    >>> from headrace.model.triggers.after_count import after_count
    >>> repeat(after_count(10)).text
    'repeat (after 10 rows)'
    """
    return firing(Repeat(trigger(part, "repeat()")))
