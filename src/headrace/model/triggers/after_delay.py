"""A trigger that fires once, a while after its first row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.model.expression import Expr
from headrace.model.triggers._trigger import Trigger
from headrace.time import Duration, micros, show


@dataclass(frozen=True, slots=True)
class AfterDelay(Trigger):
    """Fires once, `delay` microseconds of processing time after the first row since it began."""

    delay: int

    @property
    def text(self) -> str:
        return f"after {show(self.delay)}"

    @property
    def finishes(self) -> bool:
        return True

    def spec(self, predicates: list[Expr]) -> dict[str, Any]:
        return {"kind": "after_delay", "delay": self.delay}


def after_delay(delay: Duration) -> AfterDelay:
    """Fire once, so long (by the clock) after the first row.

    >>> after_delay("10 seconds").text
    'after 10 seconds'
    """
    return AfterDelay(micros(delay, "delay"))
