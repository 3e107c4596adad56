"""Cases as jobs: real windows of the public API, on a source that a test feeds, and what reaches their sinks."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from pyspark.sql import functions as F

import headrace as hr
from contracts.cases import Case, Spec
from contracts.rehearsal import AGGREGATES, Told
from headrace.connect.source import Source
from headrace.model.triggers._trigger import Trigger
from headrace.model.windows._window import Window
from headrace.streams.stream import Stream
from headrace.streams.windowed import WindowResult
from reference.records import Drain, Event, Mark, Row, Tick

BASE = datetime(2026, 1, 1, tzinfo=UTC)
"""When the first second of a case is; a multiple of all windows' sizes."""
FIELDS = (
    "number bigint, key string, t timestamp, value bigint, gap bigint,"
    " begin boolean, end boolean, p0 boolean, p1 boolean"
)
SECOND = 1_000_000


def seconds(length: int) -> timedelta:
    return timedelta(seconds=length)


def window_of(spec: Spec) -> Window:
    """The window as a user writes it."""
    said, on = spec["window"], spec["on"]
    match said["kind"]:
        case "aligned" if said["size"] == said["every"]:
            return hr.tumbling(seconds(said["size"]), offset=seconds(said["offset"]), on=on)
        case "aligned":
            return hr.sliding(seconds(said["size"]), every=seconds(said["every"]), on=on)
        case "cumulative":
            return hr.cumulative(seconds(said["step"]), seconds(said["size"]), on=on)
        case "session":
            return hr.session(F.col("gap") if said["gap"] is None else seconds(said["gap"]), on=on)
        case "trailing":
            return hr.trailing(seconds(said["size"]), on=on)
        case "count":
            return hr.count(said["n"], every=said["every"])
        case "delta":
            return hr.delta("value", said["threshold"])
        case "punctuated":
            return hr.punctuated(**{name: name for name in ("begin", "end") if said[name]})
        case _:
            return hr.all_time()


def trigger_of(said: Spec) -> Trigger:
    """The trigger as a user writes it."""
    parts = [trigger_of(part) for part in said.get("parts", ())]
    match said["kind"]:
        case "at_watermark":
            phases = {name: trigger_of(said[name]) for name in ("early", "late") if said[name] is not None}
            return hr.at_watermark(**phases)
        case "each_row":
            return hr.each_row()
        case "after_count":
            return hr.after_count(said["n"])
        case "after_delay":
            return hr.after_delay(seconds(said["delay"]))
        case "every":
            return hr.every(seconds(said["every"]))
        case "when":
            return hr.when(f"p{said['predicate']}")
        case "any_of":
            return hr.any_of(*parts)
        case "all_of":
            return hr.all_of(*parts)
        case "in_order":
            return hr.in_order(*parts)
        case "repeat":
            return hr.repeat(trigger_of(said["part"]))
        case "until":
            return trigger_of(said["part"]).until(trigger_of(said["end"]))
        case _:
            return hr.never()


def job(case: Case, source: Source, *, late: bool = False) -> hr.App:
    """The case's windows as one job whose rows say which window they are of: one query runs them all.

    Results reach `out`, and if `late`, late rows reach `late`.
    """
    app = hr.App("case")
    idle = seconds(10**6 if case.idle is None else case.idle)
    rows = app.read(source, event_time="t", delay=seconds(case.delay), idle=idle, name="rows")
    results = [_result(rows, spec) for spec in case.specs]
    shown = [
        _shown(result, spec, at) for at, (result, spec) in enumerate(zip(results, case.specs, strict=True))
    ]
    shown[0].union(*shown[1:]).write(hr.memory("out"), output="update")
    if late:
        lates = [result.late.with_column("which", str(at)) for at, result in enumerate(results)]
        lates[0].union(*lates[1:]).write(hr.memory("late"))
    return app


def aggregates_of(spec: Spec) -> str:
    """Windows without a trigger have plain aggregates, so that those that are cut into slices are among them."""
    return "added" if spec["trigger"] is None else "listed"


def _result(rows: Stream, spec: Spec) -> WindowResult:
    windows = rows.key_by("key").window(window_of(spec), lateness=seconds(spec["lateness"]))
    if spec["trigger"] is not None:
        windows = windows.trigger(trigger_of(spec["trigger"]), spec["accumulation"])
    return windows.agg(**AGGREGATES[aggregates_of(spec)])


def _shown(result: Stream, spec: Spec, which: int) -> Stream:
    """A window's rows with the columns that all of them have, null where it has none of its own."""
    has = {
        "window": spec["window"]["kind"] != "all_time",
        "op": spec["op"],
        "pane": spec["pane"],
        "values": aggregates_of(spec) == "listed",
    }
    others = {name: name if there else f"CAST(NULL AS {KINDS[name]})" for name, there in has.items()}
    return result.select("key", "n", "s", "lo", "hi", which=str(which), **others)


KINDS = {
    "window": "STRUCT<start: TIMESTAMP, end: TIMESTAMP>",
    "op": "STRING",
    "pane": "STRUCT<timing: STRING, index: INT, final: BOOLEAN>",
    "values": "ARRAY<BIGINT>",
}


def fields(number: int, row: Row) -> dict[str, Any]:
    """A row as a source is fed with it."""
    holds = (*row.holds, False, False)[:2]
    return {
        "number": number,
        "key": row.key,
        "t": (BASE + seconds(row.time)).isoformat(),
        "value": row.value,
        "gap": row.gap,
        "begin": row.begin,
        "end": row.end,
        "p0": holds[0],
        "p1": holds[1],
    }


def in_micros(case: Case) -> Case:
    """The same case in microseconds, as the model must see it: a trailing window ends one behind its row."""
    return replace(
        case,
        specs=tuple(_spec_in_micros(spec) for spec in case.specs),
        events=tuple(_event_in_micros(event) for event in case.events),
        delay=case.delay * SECOND,
        idle=None if case.idle is None else case.idle * SECOND,
    )


LENGTHS = ("size", "offset", "step", "gap", "delay", "every", "lateness")


def _spec_in_micros(said: Spec) -> Spec:
    rows = said.get("kind") == "count"
    return {
        name: _spec_in_micros(value)
        if isinstance(value, dict)
        else [_spec_in_micros(part) for part in value]
        if isinstance(value, list)
        else value * SECOND
        if name in LENGTHS and value is not None and not rows
        else value
        for name, value in said.items()
    }


def _event_in_micros(event: Event) -> Event:
    match event:
        case Row():
            return replace(event, time=event.time * SECOND, gap=event.gap and event.gap * SECOND)
        case Tick():
            return Tick(event.now * SECOND)
        case Mark():
            return Mark(event.partition, None if event.watermark is None else event.watermark * SECOND)
        case Drain():
            return event


def told(panes: list[dict[str, Any]], late: list[dict[str, Any]]) -> Told:
    """What reached the sinks, as the rehearsal tells it."""
    return Told([_pane(row) for row in panes], [_late(row) for row in late])


def _pane(row: dict[str, Any]) -> dict[str, Any]:
    pane = row["pane"] or {"timing": None, "index": None, "final": None}
    values = {name: row[name] for name in ("key", "n", "s", "lo", "hi", "values")}
    return {"row": values, "window": _bounds(row["window"]), "op": row["op"], **pane}


def _late(row: dict[str, Any]) -> dict[str, Any]:
    mark = None if row["watermark"] is None else _micros(row["watermark"])
    return {"row": {"number": row["number"]}, "window": _bounds(row["window"]), "mark": mark}


def _bounds(window: dict[str, Any] | None) -> list[int] | None:
    return None if window is None else [_micros(window["start"]), _micros(window["end"])]


def _micros(moment: datetime) -> int:
    return (moment.astimezone(UTC) - BASE) // timedelta(microseconds=1)
