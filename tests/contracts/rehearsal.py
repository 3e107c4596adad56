"""The kernel's own shards, driven without a query: a case in, panes and late rows out, in milliseconds."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from contracts.cases import Case, Spec
from contracts.cuts import Batch, Placed
from headrace.spark.engine import kernel
from reference.model import default_trigger
from reference.records import Row

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COLUMNS = {
    "number": "bigint",
    "key": "string",
    "value": "bigint",
    "gap": "bigint",
    "delta": "double",
    "begin": "boolean",
    "end": "boolean",
    "p0": "boolean",
    "p1": "boolean",
}
FOREVER = 2**63 - 1
AGGREGATES = {
    "listed": {
        "n": "count(1)",
        "s": "sum(value)",
        "lo": "min(value)",
        "hi": "max(value)",
        "values": "collect_list(value)",
    },
    "added": {"n": "count(1)", "s": "sum(value)", "lo": "min(value)", "hi": "max(value)"},
    "spread": {"n": "count(1)", "middle": "percentile(value, 0.5)"},
}
"""Kinds of state: buffers of objects in order of arrival; plain bytes; buffers of objects in any order."""


@dataclass(frozen=True)
class Told:
    """What left in a batch; panes and late rows are dicts as the kernel tells them."""

    panes: list[dict[str, Any]]
    late: list[dict[str, Any]]


class Rehearsals:
    """All rehearsals of a session, each made once."""

    def __init__(self, spark: SparkSession) -> None:
        self._frame = spark.createDataFrame([], ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items()))
        self._made: dict[tuple[str, tuple[str, ...]], Any] = {}

    def play(
        self,
        case: Case,
        spec: Spec,
        batches: list[Batch],
        sources: list[list[Placed]],
        *,
        aggregates: str = "listed",
        shards: int = 1,
    ) -> list[Told]:
        """What leaves in each batch."""
        rules = _rules(spec)
        given = json.dumps(_spec(case, spec))
        known = (aggregates, rules)
        if known not in self._made:
            self._made[known] = self._make(given, rules, aggregates)
        played = _played(case, batches, sources)
        told = json.loads(self._made[known].play(given, case.delay, 0, shards, json.dumps(played)))
        return [
            Told([one for one in batch if "op" in one], [one for one in batch if "op" not in one])
            for batch in told
        ]

    def _make(self, spec: str, rules: tuple[str, ...], aggregates: str) -> Any:
        from pyspark.sql import functions as F

        columns = [F.expr(text).alias(name)._jc for name, text in AGGREGATES[aggregates].items()]
        return kernel().Rehearsal.of(self._frame._jdf, spec, ["key"], list(rules), ["number"], columns)


def _rules(spec: Spec) -> tuple[str, ...]:
    """The columns that the window asks of a row, and then those that triggers do."""
    window = spec["window"]
    kind = window["kind"]
    own: tuple[str, ...] = ()
    if kind == "session" and window["gap"] is None:
        own = ("gap",)
    elif kind == "delta":
        own = ("delta",)
    elif kind == "punctuated":
        own = tuple(name for name in ("begin", "end") if window[name])
    return (*own, "p0", "p1")


def _spec(case: Case, spec: Spec) -> dict[str, Any]:
    """The spec as the planner makes it, and what the query adds."""
    return {
        **spec,
        "trigger": spec["trigger"] or default_trigger(spec["window"]["kind"], spec["final_only"]),
        "operator": 0,
        "place": None,
        "idle": FOREVER if case.idle is None else case.idle,
        "ttl": case.ttl,
        "roster": list(range(case.partitions)),
        "ticks": False,
    }


def _played(case: Case, batches: list[Batch], sources: list[list[Placed]]) -> list[dict[str, Any]]:
    numbers = {id(event): number for number, event in enumerate(case.events)}
    played: list[dict[str, Any]] = []
    clock = 0
    for batch, several in zip(batches, sources, strict=True):
        clock = max(clock, batch.tick or 0)
        events = [_event(one, numbers[id(one.event)], case.delay, clock) for one in several]
        played.append({"restart": batch.restart, "tick": clock, "events": events, "drain": batch.drain})
    return played


def _event(one: Placed, number: int, delay: int, clock: int) -> dict[str, Any]:
    """A mark is told as a row of that event time would be, which the watermark trails by the delay.

    A row that nobody has stamped arrives by the clock.
    """
    event = one.event
    told: dict[str, Any] = {"task": one.task, "partition": event.partition, "minor": one.minor}
    if not isinstance(event, Row):
        assert event.watermark is not None
        return told | {"time": 0, "marker": event.watermark + delay}
    delta = None if event.value is None else float(event.value)
    holds = (*event.holds, False, False)[:2]
    row = [number, event.key, event.value, event.gap, delta, event.begin, event.end, *holds]
    arrived = clock if event.arrived is None else event.arrived
    return told | {"time": event.time, "arrived": arrived, "row": row}
