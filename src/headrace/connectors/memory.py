"""Memory: the result as a list in this Python process, for notebooks and tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from headrace.connect.sink import Batch, Sink, rows_of
from headrace.model.delivery import Delivery, Guarantee
from headrace.model.modes import Mode, Output


@dataclass(frozen=True)
class Memory(Sink):
    name: str
    _batches: dict[int, list[dict[str, Any]]] = field(default_factory=dict, repr=False)

    retracts = True

    @property
    def address(self) -> str:
        return self.name

    @property
    def text(self) -> str:
        return f"memory {self.name}"

    @property
    def rows(self) -> list[dict[str, Any]]:
        """What has arrived so far, in order of batches."""
        return [row for number in sorted(self._batches) for row in self._batches[number]]

    def write(self, batch: Batch) -> int:
        if batch.output is Output.COMPLETE:
            self._batches.clear()
        self._batches[batch.number] = rows = rows_of(batch.frame)
        return len(rows)

    def guarantee(self, mode: Mode) -> Guarantee:
        return Guarantee(Delivery.AT_MOST_ONCE, f"{self.text} is gone when the process ends")


def memory(name: str = "memory") -> Memory:
    """Keep the result as dicts in `.rows`; it grows with the result, so it is for small ones.

    >>> memory("counts").rows
    []
    """
    return Memory(name)
