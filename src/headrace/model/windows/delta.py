"""Delta windows: a new one begins when a value has moved too far from where the last one began."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from headrace.errors import InvalidWindow
from headrace.model.expression import Expr, Expression, expr
from headrace.model.windows._window import TimeOf, Window


@dataclass(frozen=True, slots=True)
class Delta(Window):
    """Rows of a key whose `value` differs from the window's first by no more than `threshold`."""

    ends_by_rows: ClassVar[bool] = True

    value: Expr
    threshold: float

    @property
    def text(self) -> str:
        return f"delta {repr(self.threshold).removesuffix('.0')} of {self.value}"

    def spec(self) -> dict[str, Any]:
        return {"kind": "delta", "threshold": self.threshold}

    def expressions(self) -> dict[str, Expr]:
        return {"delta": self.value}


def delta(column: Expression, threshold: float) -> Delta:
    """A window lasts until a row differs from its first by more than `threshold`; that row begins the next.

    >>> delta("temperature", 0.5).text
    'delta 0.5 of temperature'
    """
    number = isinstance(threshold, int | float) and not isinstance(threshold, bool)
    if not number or not math.isfinite(threshold):
        raise InvalidWindow(
            f"threshold {threshold!r} is not a number", hint="write hr.delta('temperature', 0.5)"
        )
    if threshold <= 0:
        raise InvalidWindow(
            f"threshold {threshold:g} would end a window at every row",
            hint="use a threshold above zero, or hr.count(1) for a window a row",
        )
    return Delta(TimeOf.EVENT, expr(column), float(threshold))
