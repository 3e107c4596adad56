"""A case cut into batches, as a query would take it: the clock first, then pieces of its source partitions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from itertools import groupby

from contracts.cases import Case
from reference.records import Drain, Event, Mark, Row, Tick


@dataclass
class Batch:
    """What one batch takes. It begins on a kernel that reads all state back from bytes, if it is a `restart`."""

    restart: bool = False
    tick: int | None = None
    events: list[Row | Mark] = field(default_factory=list)
    drain: bool = False


def cut(case: Case, cuts: Callable[[int], bool], restarts: Callable[[int], bool]) -> list[Batch]:
    """Cut before the events whose number `cuts` or `restarts` names, and before each tick."""
    batches = [Batch()]
    for number, event in enumerate(case.events):
        if number and (isinstance(event, Tick) or cuts(number) or restarts(number)):
            batches.append(Batch(restart=restarts(number)))
        at = batches[-1]
        if isinstance(event, Tick):
            at.tick = event.now
        elif isinstance(event, Drain):
            at.drain = True
        else:
            at.events.append(event)
    return batches


def whole(_number: int) -> bool:
    """No cut here."""
    return False


def everywhere(_number: int) -> bool:
    """A cut here."""
    return True


def at(places: Collection[int]) -> Callable[[int], bool]:
    """A cut at these places."""
    return places.__contains__


@dataclass(frozen=True)
class Placed:
    """An event as a task of the source's reads it; `minor` is its place among those of the same source."""

    event: Row | Mark
    task: int
    minor: int


def placed(batches: list[Batch], *, kafka: bool) -> list[list[Placed]]:
    """Each batch's events, placed as Kafka does it (a task for each partition, places by offset).

    Or as the test driver does it: one task reads all, and places are numbered through.
    """
    places: dict[int, int] = {}
    found: list[list[Placed]] = []
    for batch in batches:
        found.append([])
        for event in batch.events:
            task = event.partition if kafka else 0
            places[task] = places.get(task, 0) + 1
            found[-1].append(Placed(event, task, places[task]))
    return found


def in_order(batches: list[Batch], sources: list[list[Placed]]) -> list[Event]:
    """The events in the order in which the batches take them.

    A batch takes the clock, hears of all the partitions that it has something of, and then takes it piece by
    piece: what one task reads of one partition on end, in the order of their places.
    """
    events: list[Event] = []
    for batch, several in zip(batches, sources, strict=True):
        pieces = sorted(_pieces(several), key=lambda piece: (piece[0].minor, piece[0].event.partition))
        events += [Tick(batch.tick, away=batch.restart)] if batch.tick is not None else []
        events += [Mark(piece[0].event.partition, None) for piece in pieces]
        events += [one.event for piece in pieces for one in piece]
        events += [Drain()] if batch.drain else []
    return events


def _pieces(several: list[Placed]) -> Iterator[list[Placed]]:
    tasks: dict[int, list[Placed]] = {}
    for one in several:
        tasks.setdefault(one.task, []).append(one)
    for read in tasks.values():
        for _partition, piece in groupby(read, key=lambda one: one.event.partition):
            yield list(piece)
