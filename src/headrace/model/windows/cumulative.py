"""Cumulative windows: results that grow step by step until their size is full, and then begin anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.errors import InvalidWindow
from headrace.model.modes import choice
from headrace.model.windows._window import TimeOf, Window
from headrace.time import Duration, micros, show


@dataclass(frozen=True, slots=True)
class Cumulative(Window):
    """Windows that begin at multiples of `size` and end at each `step` (microseconds) after that."""

    step: int
    size: int

    @property
    def text(self) -> str:
        return f"cumulative {show(self.step)} up to {show(self.size)}{self._suffix()}"

    def spec(self) -> dict[str, Any]:
        return {"kind": "cumulative", "step": self.step, "size": self.size}


def cumulative(step: Duration, size: Duration, *, on: str = "event") -> Cumulative:
    """Windows with one beginning that end a step later each, until `size` is full: the day so far, by hour.

    >>> cumulative("1 hour", "1 day").text
    'cumulative 1 hour up to 1 day'
    """
    stride, length = micros(step, "step"), micros(size, "size")
    if stride > length:
        raise InvalidWindow(
            f"step {show(stride)} > size {show(length)}: the step comes first, and is the shorter",
            hint=f"write hr.cumulative('{show(length)}', '{show(stride)}')",
        )
    if length % stride:
        raise InvalidWindow(
            f"step {show(stride)} does not divide size {show(length)}: the last step would be cut short",
            hint=f"use a step that goes into {show(length)} a whole number of times",
        )
    return Cumulative(choice(TimeOf, on, "time"), stride, length)
