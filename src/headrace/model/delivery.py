"""What a job promises about each row: the weakest of its source, its operators and its sink."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Delivery(IntEnum):
    """How often a row arrives; ordered, so that `min` gives the weakest."""

    AT_MOST_ONCE = 0
    AT_LEAST_ONCE = 1
    EXACTLY_ONCE = 2

    def __str__(self) -> str:
        return self.name.lower().replace("_", "-")


@dataclass(frozen=True, slots=True)
class Guarantee:
    """A promise, and the part of the job that sets it."""

    delivery: Delivery
    because: str


def weakest(guarantees: list[Guarantee]) -> Guarantee:
    return min(guarantees, key=lambda guarantee: guarantee.delivery)
