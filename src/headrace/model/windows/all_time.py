"""All time as one window: a result that goes on for as long as the job does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from headrace.model.windows._window import TimeOf, Window


@dataclass(frozen=True, slots=True)
class AllTime(Window):
    """One window a key that never ends."""

    ends_by_rows: ClassVar[bool] = True
    has_bounds: ClassVar[bool] = False

    @property
    def text(self) -> str:
        return "all time"

    def spec(self) -> dict[str, Any]:
        return {"kind": "all_time"}


def all_time() -> AllTime:
    """One window that holds all rows of a key; a trigger says when its result is told.

    >>> all_time().text
    'all time'
    """
    return AllTime(TimeOf.EVENT)
