"""A Python function that is handed each batch as a DataFrame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headrace.connect.sink import Batch, Sink
from headrace.errors import InvalidOption
from headrace.model.delivery import Delivery, Guarantee
from headrace.model.modes import Mode

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class ForeachBatch(Sink):
    function: Callable[[DataFrame, int], Any]

    retracts = True

    @property
    def address(self) -> str:
        return getattr(self.function, "__name__", "foreach_batch")

    @property
    def text(self) -> str:
        return f"each batch to {self.address}"

    def write(self, batch: Batch) -> None:
        self.function(batch.frame, batch.number)

    def guarantee(self, mode: Mode) -> Guarantee:
        return Guarantee(Delivery.AT_LEAST_ONCE, f"{self.address} may be called twice with a batch's number")


def foreach_batch(function: Callable[[DataFrame, int], Any]) -> ForeachBatch:
    """Call `function(frame, number)` for each batch; after a failure the same number may come again."""
    if not callable(function):
        raise InvalidOption(f"{function!r} is not a function", hint="give a function of (frame, number)")
    return ForeachBatch(function)
