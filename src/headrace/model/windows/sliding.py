"""Sliding windows: pieces of one size that begin at shorter steps, so that they overlap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.errors import InvalidWindow
from headrace.model.modes import choice
from headrace.model.windows._window import TimeOf, Window
from headrace.time import Duration, micros, show


@dataclass(frozen=True, slots=True)
class Sliding(Window):
    """Windows of `size` microseconds, one beginning at each multiple of `every`."""

    size: int
    every: int

    @property
    def text(self) -> str:
        return f"sliding {show(self.size)} every {show(self.every)}{self._suffix()}"

    def spec(self) -> dict[str, Any]:
        return {"kind": "aligned", "size": self.size, "every": self.every, "offset": 0}


def sliding(size: Duration, *, every: Duration, on: str = "event") -> Sliding:
    """Windows of one size that overlap.

    >>> sliding("10 minutes", every="5 minutes").text
    'sliding 10 minutes every 5 minutes'
    """
    length, step = micros(size, "size"), micros(every, "every")
    if step > length:
        raise InvalidWindow(
            f"slide {show(step)} > size {show(length)} loses the rows between windows",
            hint=f"use every <= {show(length)}",
        )
    return Sliding(choice(TimeOf, on, "time"), length, step)
