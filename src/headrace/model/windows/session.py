"""Session windows: rows that follow each other within a gap belong together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from headrace.model.expression import Expr, Expression, expr, is_column
from headrace.model.modes import choice
from headrace.model.windows._window import TimeOf, Window
from headrace.time import Duration, micros, show


@dataclass(frozen=True, slots=True)
class Session(Window):
    """A session ends when `gap` (microseconds, or an expression a row) passes without a row of its key."""

    gap: int | Expr

    @property
    def text(self) -> str:
        gap = show(self.gap) if isinstance(self.gap, int) else str(self.gap)
        return f"session gap {gap}{self._suffix()}"

    def spec(self) -> dict[str, Any]:
        return {"kind": "session", "gap": self.gap if isinstance(self.gap, int) else None}

    def expressions(self) -> dict[str, Expr]:
        return {"gap": self.gap} if isinstance(self.gap, Expr) else {}


def session(gap: Duration | Expression, *, on: str = "event") -> Session:
    """Rows of a key that lie less than `gap` apart; a Column makes the gap one a row.

    >>> session("30 minutes").text
    'session gap 30 minutes'
    """
    length = expr(gap) if is_column(gap) else micros(cast("Duration", gap), "gap")
    return Session(choice(TimeOf, on, "time"), length)
