"""Items 1 and 2: source partitions, their watermarks, and the operator's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass
class Partition:
    """A source partition: how far it has come (None: nowhere yet), and when it was last heard of."""

    mark: int | None
    spoke: int
    idle: bool = False


class Sources:
    """All source partitions; `watermark` is the operator's, None before there is one.

    Decision 14: a partition that is known beforehand and has not spoken holds the watermark back, until it is
    idle; it counts as heard of when the job began. One that is not known beforehand holds nothing back
    before it speaks, and is then treated as one that was idle.
    """

    def __init__(self, partitions: Iterable[int], idle: int | None, clock: int) -> None:
        self.idle = idle
        self.watermark: int | None = None
        self.partitions = {number: Partition(None, clock) for number in partitions}

    def speaks(self, number: int, clock: int) -> int | None:
        """A partition is heard of, by a row or a mark: its watermark before it.

        Decision 15: the watermark of one that was idle is lifted to the operator's for good, and not for its
        first row alone; later rows would else be let into windows that are closed.
        """
        partition = self.partitions.setdefault(number, Partition(None, clock, idle=True))
        if partition.idle:
            partition.mark = larger(partition.mark, self.watermark)
        partition.idle = False
        partition.spoke = clock
        return partition.mark

    def reaches(self, number: int, watermark: int) -> None:
        """A partition's watermark moves; it never goes back."""
        partition = self.partitions[number]
        partition.mark = larger(partition.mark, watermark)
        self.advance()

    def pass_over(self, length: int) -> None:
        """So much time is nobody's silence."""
        for partition in self.partitions.values():
            partition.spoke += length

    def tick(self, clock: int) -> None:
        """Decision 16: idle is who was last heard of `idle` ago or longer, by the clock of the last tick before."""
        for partition in self.partitions.values():
            if self.idle is not None and clock - partition.spoke >= self.idle:
                partition.idle = True
        self.advance()

    def advance(self) -> None:
        live = [partition.mark for partition in self.partitions.values() if not partition.idle]
        if live and None not in live:
            self.watermark = larger(self.watermark, min(mark for mark in live if mark is not None))


def larger(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return max(one, other)
