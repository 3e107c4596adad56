"""Trailing windows: for each row, what came in the time up to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.model.modes import choice
from headrace.model.windows._window import TimeOf, Window
from headrace.time import Duration, micros, show


@dataclass(frozen=True, slots=True)
class Trailing(Window):
    """One window a row, `size` microseconds long, that ends with the row: (t - size, t]."""

    size: int

    @property
    def text(self) -> str:
        return f"trailing {show(self.size)}{self._suffix()}"

    def spec(self) -> dict[str, Any]:
        return {"kind": "trailing", "size": self.size}


def trailing(size: Duration, *, on: str = "event") -> Trailing:
    """For each row a window that ends at it and holds it.

    >>> trailing("10 minutes").text
    'trailing 10 minutes'
    """
    return Trailing(choice(TimeOf, on, "time"), micros(size, "size"))
