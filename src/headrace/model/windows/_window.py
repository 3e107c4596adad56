"""What every window is, and which clock it goes by."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class TimeOf(StrEnum):
    """Whose time a window goes by: the row's own, its arrival at the source, or the operator's clock."""

    EVENT = "event"
    INGESTION = "ingestion"
    PROCESSING = "processing"


@dataclass(frozen=True, slots=True)
class Window:
    """A way to cut a stream into finite pieces."""

    on: TimeOf

    @property
    def text(self) -> str:
        raise NotImplementedError

    def _suffix(self) -> str:
        return "" if self.on is TimeOf.EVENT else f" of {self.on} time"
