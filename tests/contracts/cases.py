"""A case: windows, a source, and what comes out of it in one order. Times are whole seconds.

A case is plain data. It prints as the Python that makes it, and goes to JSON and back, so that one which was
found by chance can be kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

from reference.model import Outcome, Reference
from reference.records import Drain, Event, Mark, Row, Tick

Spec = dict[str, Any]

EVENTS: dict[str, type[Any]] = {"row": Row, "tick": Tick, "mark": Mark, "drain": Drain}


@dataclass(frozen=True)
class Case:
    """`idle` None: no source partition is ever idle; `ttl` None: no key is freed. The last event is the drain."""

    specs: tuple[Spec, ...]
    events: tuple[Event, ...]
    delay: int = 0
    idle: int | None = None
    partitions: int = 1
    ttl: int | None = None

    def expected(self, spec: Spec, events: Iterable[Event] | None = None) -> Outcome:
        """What the model says, of these events or of the case's own."""
        known = range(self.partitions)
        model = Reference(spec, delay=self.delay, idle=self.idle, partitions=known, ttl=self.ttl)
        return model.run(self.events if events is None else events)

    @property
    def in_batch(self) -> Case:
        """The same rows as one plain file of them: one partition, no clock, and no watermark but its own."""
        rows = [replace(event, partition=0) for event in self.events if isinstance(event, Row)]
        return replace(self, events=(*rows, Drain()), partitions=1, idle=None)

    @property
    def json(self) -> str:
        """The case on one line."""
        said = {name: value for name, value in vars(self).items() if name != "events"}
        events = [[_name(event), asdict(event)] for event in self.events]
        return json.dumps({**said, "events": events})

    @staticmethod
    def of(text: str) -> Case:
        """The case that `json` wrote."""
        said = json.loads(text)
        specs, events = said.pop("specs"), said.pop("events")
        return Case(specs=tuple(specs), events=tuple(_event(name, values) for name, values in events), **said)

    def __repr__(self) -> str:
        lines = ["Case(", "    specs=("]
        lines += [f"        {spec}," for spec in self.specs]
        lines += ["    ),", "    events=("]
        lines += [f"        {short(event)}," for event in self.events]
        lines += ["    ),", f"    delay={self.delay}, idle={self.idle}, partitions={self.partitions},", ")"]
        return "\n".join(lines)


def short(event: Event) -> str:
    """An event as the Python that makes it, without what is as always."""
    blank = Row(0, 0)
    values = {
        name: value
        for name, value in vars(event).items()
        if not isinstance(event, Row) or name in ("partition", "time") or value != getattr(blank, name)
    }
    return f"{type(event).__name__}({', '.join(f'{name}={value!r}' for name, value in values.items())})"


def rows_of(events: Iterable[Event]) -> list[Row]:
    return [event for event in events if isinstance(event, Row)]


def _name(event: Event) -> str:
    return next(name for name, kind in EVENTS.items() if type(event) is kind)


def _event(name: str, values: dict[str, Any]) -> Event:
    if name == "row":
        values = {**values, "holds": tuple(values["holds"])}
    return EVENTS[name](**values)  # type: ignore[no-any-return]
