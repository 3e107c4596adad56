"""What `process()` means, said once more in plain Python: the events of the windows' model, one function a key.

A script stands for the user's function. It does what the row's value says: counts, sets and takes back timers,
forgets the key. Whatever it does, it tells: what came, the timer's name, the row's value or the timer's event
time, the count, and whether the row was late or the timer one of event time. Times are whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from reference.records import Drain, Event, Mark, Row, Tick
from reference.sources import Sources

NAMES = ("", "x", "y")
Told = tuple[Any, ...]


@dataclass
class Key:
    """A key: its state, and its timers by name."""

    n: int = 0
    timers: dict[str, tuple[bool, int]] = field(default_factory=dict)


class Process:
    """The model; `told` holds, key by key, what has left. `idle` None: no source partition is ever idle."""

    def __init__(
        self, *, delay: int = 0, idle: int | None = None, partitions: Iterable[int] = (0,), start: int = 0
    ) -> None:
        self.delay = delay
        self.clock = start
        self.sources = Sources(partitions, idle, start)
        self.keys: dict[Any, Key] = {}
        self.told: dict[Any, list[Told]] = {}
        self.ended = False

    def run(self, events: Iterable[Event]) -> dict[Any, list[Told]]:
        for event in events:
            self.feed(event)
        return self.told

    def feed(self, event: Event) -> None:
        if isinstance(event, Row):
            self.row(event)
        elif isinstance(event, Mark):
            self.sources.speaks(event.partition, self.clock)
            self.sources.reaches(event.partition, event.watermark)
        elif isinstance(event, Tick):
            if event.now > self.clock:
                self.clock = event.now
                self.sources.tick(event.now)
                self.fire()
                self.ring()
        else:
            assert isinstance(event, Drain)
            self.end()
        self.fire()

    def row(self, row: Row) -> None:
        mark = self.sources.speaks(row.partition, self.clock)
        key = self.keys.setdefault(row.key, Key())
        key.n += 1
        late = mark is not None and row.time < mark
        self.tell(row.key, ("row", "", row.value, key.n, late))
        self.obey(key, row.value, row.time)
        self.fire()  # a timer that was set for a time that has passed fires at once
        self.sources.reaches(row.partition, row.time - self.delay)

    def obey(self, key: Key, value: int | None, time: int) -> None:
        """The script: every value is a deed and a number that it takes."""
        deed, number = divmod(value or 0, 10)
        name = NAMES[number % 3]
        if deed == 1 and not self.ended:
            key.timers[name] = (True, time + 5 * number)
        elif deed == 2 and not self.ended:
            key.timers[name] = (False, self.clock + 5 * number + 1)
        elif deed == 3:
            key.timers.pop(name, None)
        elif deed == 4:
            key.n, key.timers = 0, {}

    def fire(self) -> None:
        """Timers of event time that are due, one by one, the earliest first."""
        watermark = self.sources.watermark
        while due := self.due(True, watermark):
            self.call(*due)

    def ring(self) -> None:
        while due := self.due(False, self.clock):
            self.call(*due)
            self.fire()

    def due(self, event: bool, by: float | None) -> tuple[int, str, Any] | None:
        if by is None:
            return None
        found = [
            (time, name, key)
            for key, one in self.keys.items()
            for name, (of_event, time) in one.timers.items()
            if of_event == event and time <= by
        ]
        return min(found, default=None, key=lambda timer: timer[:2])

    def call(self, time: int, name: str, key: Any) -> None:
        """The script's timer: every third count it sets itself anew, later."""
        one = self.keys[key]
        event, _time = one.timers.pop(name)
        self.tell(key, ("timer", name, time if event else 0, one.n, event))
        if one.n % 3 == 0 and not self.ended:
            one.timers[name] = (True, time + 7) if event else (False, self.clock + 7)

    def end(self) -> None:
        """Every timer that is set fires once, those of event time first; what they set does not."""
        self.ended = True
        for event in (True, False):
            while due := self.due(event, float("inf")):
                self.call(*due)

    def tell(self, key: Any, what: Told) -> None:
        self.told.setdefault(key, []).append(what)
