"""Tumbling windows: the time line cut into equal pieces, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.errors import InvalidWindow
from headrace.model.modes import choice
from headrace.model.windows._window import TimeOf, Window
from headrace.time import Duration, micros, show


@dataclass(frozen=True, slots=True)
class Tumbling(Window):
    """Windows of `size` microseconds; they begin at whole multiples of it, shifted by `offset`."""

    size: int
    offset: int = 0

    @property
    def text(self) -> str:
        shift = f" offset {show(self.offset)}" if self.offset else ""
        return f"tumbling {show(self.size)}{shift}{self._suffix()}"

    def spec(self) -> dict[str, Any]:
        return {"kind": "aligned", "size": self.size, "every": self.size, "offset": self.offset}


def tumbling(size: Duration, *, offset: Duration = "0 seconds", on: str = "event") -> Tumbling:
    """Windows of one size, side by side.

    >>> tumbling("10 minutes").text
    'tumbling 10 minutes'
    """
    length, shift = micros(size, "size"), micros(offset, "offset", zero=True)
    if shift >= length:
        raise InvalidWindow(
            f"offset {show(shift)} >= size {show(length)} shifts the windows past themselves",
            hint=f"use an offset below {show(length)}",
        )
    return Tumbling(choice(TimeOf, on, "time"), length, shift)
