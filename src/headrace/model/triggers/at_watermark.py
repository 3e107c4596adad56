"""A trigger that fires when the watermark says that a window is complete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.errors import InvalidTrigger
from headrace.model.expression import Expr
from headrace.model.triggers._trigger import Trigger, trigger


@dataclass(frozen=True, slots=True)
class AtWatermark(Trigger):
    """Fires when its window is complete; before that as `early` does, after it as `late` does, repeated."""

    early: Trigger | None = None
    late: Trigger | None = None

    @property
    def text(self) -> str:
        said = [f"{name} {part.text}" for name, part in self._named() if part is not None]
        return f"at watermark ({'; '.join(said)})" if said else "at watermark"

    @property
    def parts(self) -> tuple[Trigger, ...]:
        return tuple(part for _name, part in self._named() if part is not None)

    @property
    def asks_watermark(self) -> bool:
        return True

    def spec(self, predicates: list[Expr]) -> dict[str, Any]:
        said = {name: part and part.spec(predicates) for name, part in self._named()}
        return {"kind": "at_watermark", **said}

    def _named(self) -> tuple[tuple[str, Trigger | None], ...]:
        return (("early", self.early), ("late", self.late))


def at_watermark(*, early: Trigger | None = None, late: Trigger | None = None) -> AtWatermark:
    """Fire when the window is complete; `early` fires before that, `late` after it, each again and again.

    >>> at_watermark().text
    'at watermark'
    """
    return AtWatermark(_part(early, "early"), _part(late, "late"))


def _part(given: Trigger | None, name: str) -> Trigger | None:
    if given is None:
        return None
    part = trigger(given, f"at_watermark({name}=)")
    if part.asks_watermark:
        raise InvalidTrigger(
            f"at_watermark({name}=) holds another at_watermark(), and a window is complete just once",
            hint=f"give {name}= what goes by rows or the clock: hr.each_row(), hr.every('30 seconds')",
        )
    return part
