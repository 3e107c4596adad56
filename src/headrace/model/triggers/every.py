"""A trigger that fires by the clock, again and again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.model.expression import Expr
from headrace.model.triggers._trigger import Trigger
from headrace.time import Duration, micros, show


@dataclass(frozen=True, slots=True)
class Every(Trigger):
    """Fires at each whole multiple of `length` microseconds of processing time, if rows came since."""

    length: int

    @property
    def text(self) -> str:
        return f"every {show(self.length)}"

    def spec(self, predicates: list[Expr]) -> dict[str, Any]:
        return {"kind": "every", "every": self.length}


def every(length: Duration) -> Every:
    """Fire every so often by the clock, when rows have come since the last time.

    >>> every("30 seconds").text
    'every 30 seconds'
    """
    return Every(micros(length, "every"))
