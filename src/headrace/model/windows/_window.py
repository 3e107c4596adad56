"""What every window is, and which clock it goes by."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from headrace.model.expression import Expr


class TimeOf(StrEnum):
    """Whose time a window goes by: the row's own, its arrival at the source, or the operator's clock."""

    EVENT = "event"
    INGESTION = "ingestion"
    PROCESSING = "processing"


@dataclass(frozen=True, slots=True)
class Window:
    """A way to cut a stream into finite pieces."""

    ends_by_rows: ClassVar[bool] = False
    """Whether rows end it, and not a time."""
    has_bounds: ClassVar[bool] = True
    """Whether its results have a column `window`: start and end."""

    on: TimeOf

    @property
    def text(self) -> str:
        raise NotImplementedError

    @property
    def ends_in_event_time(self) -> bool:
        """Whether the watermark completes it, so that a row can be late for it."""
        return not self.ends_by_rows and self.on is not TimeOf.PROCESSING

    def spec(self) -> dict[str, Any]:
        """Its numbers, in microseconds, as the kernel takes them."""
        raise NotImplementedError

    def expressions(self) -> dict[str, Expr]:
        """What it asks of each row, by the name that the kernel knows it by."""
        return {}

    def _suffix(self) -> str:
        return "" if self.on is TimeOf.EVENT else f" of {self.on} time"
