"""process(): one meaning in every mode and cut, what survives, and what its mistakes are told like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import headrace as hr
from headrace.errors import CheckpointMismatch, JobFailed
from headrace.runtime.progress import Silent
from headrace.testing import TestDriver
from headrace.testing.driver import At
from reference.process import Process
from reference.process_events import events
from reference.records import Drain, Event, Mark, Row, Tick
from reference.scripted import BASE, SCHEMA, STATE, by_key, on_row, on_timer, second

READ = hr.kafka("rows", value=hr.json("id string, t timestamp, v long"))
HELD: dict[str, Any] = {
    "suppress_health_check": list(HealthCheck),
    "deadline": None,
    "database": None,
    "phases": [Phase.generate],  # each example takes seconds: one that fails is told as it is
}


def scripted(app: hr.App, source: Any = READ, delay: int = 0) -> hr.App:
    read = app.read(source, event_time="t", delay=timedelta(seconds=delay), idle="365 days", name="rows")
    read.key_by("id").process(on_row, SCHEMA, state=STATE, on_timer=on_timer).write(hr.memory("told"))
    return app


def fed(row: Row) -> At:
    return At(row.partition, {"id": row.key, "t": second(row.time).isoformat(), "v": row.value})


def drive(driver: TestDriver, drawn: list[Event], pauses: set[int]) -> list[Any]:
    """Rows that follow each other are one batch, except where there is a pause; at some pauses all restarts."""
    waiting: list[At] = []
    for number, event in enumerate(drawn):
        if waiting and (number in pauses or not isinstance(event, Row)):
            driver.feed("rows", waiting)
            waiting = []
            if number in pauses and number % 2:
                driver.restart()
        if isinstance(event, Row):
            waiting.append(fed(event))
        elif isinstance(event, Mark):
            driver.advance_watermark("rows", second(event.watermark), partition=event.partition)
        elif isinstance(event, Tick):
            driver.advance_time(timedelta(seconds=event.now) - (driver._now - BASE))
        else:
            driver.drain()
    return [tuple(row.values()) for row in driver.read("told")]


@seed(7)
@settings(max_examples=2, **HELD)
@given(st.data())
def test_cuts_restarts_and_partitions_change_nothing(spark: SparkSession, data: st.DataObject) -> None:
    partitions, delay = data.draw(st.sampled_from((2, 1))), data.draw(st.sampled_from((3, 0)))
    drawn = data.draw(events(keys="abcdef", partitions=partitions, most=40))
    pauses = data.draw(st.sets(st.integers(1, len(drawn) - 2), min_size=2, max_size=4))
    told = Process(delay=delay, partitions=range(partitions)).run(drawn)
    for cuts in (set(), pauses):
        app = scripted(hr.App("job"), delay=delay)
        with TestDriver(app, start=BASE, partitions={"rows": partitions}) as driver:
            assert by_key(drive(driver, drawn, cuts)) == told


@seed(8)
@settings(max_examples=1, **HELD)
@given(events(keys="ab", most=10))
def test_one_row_a_batch_changes_nothing(spark: SparkSession, drawn: list[Event]) -> None:
    with TestDriver(scripted(hr.App("job")), start=BASE, one_row_a_batch=True) as driver:
        assert by_key(drive(driver, drawn, set())) == Process().run(drawn)


@seed(9)
@settings(max_examples=1, **HELD)
@given(events(keys="abcdef", most=60, clocks=False))
def test_batch_means_the_same(spark: SparkSession, drawn: list[Event]) -> None:
    rows = [replace(event, partition=0) for event in drawn if isinstance(event, Row)]
    values = [(row.key, second(row.time), row.value) for row in rows]
    frame = spark.createDataFrame(values, "id string, t timestamp, v long").coalesce(1)
    app = scripted(hr.App("job"), hr.dataframe(frame))
    told = app.job.writes[0].sink
    app.run(mode="batch", view=Silent())
    assert by_key([tuple(row.values()) for row in told.rows]) == Process().run([*rows, Drain()])


# State.


@dataclass
class Visits:
    n: int = 0
    pages: list[str] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)
    last: datetime | None = None


class Visiting:
    """An object with settings of its own, and both methods."""

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def row(self, row: Any, state: Visits, timers: Any) -> Any:
        state.n += 1
        state.pages.append(row.page)
        state.seen[row.page] = state.seen.get(row.page, 0) + 1
        state.last = row.t
        timers.event(row.t + timedelta(seconds=self.limit))

    def timer(self, timer: Any, state: Visits, timers: Any) -> Any:
        yield {"id": timer.key.id, "n": state.n, "pages": state.pages, "seen": state.seen, "last": state.last}
        timers.forget()


def visits(app: hr.App) -> hr.App:
    rows = app.read(hr.kafka("views", value=hr.json("id string, page string, t timestamp")), event_time="t")
    schema = "id string, n long, pages array<string>, seen map<string, long>, last timestamp"
    rows.key_by("id").process(Visiting(10), schema, state=Visits).write(hr.memory("visits"))
    return app


def view(at: int, id: str = "a", page: str = "p") -> dict[str, Any]:
    return {"id": id, "page": page, "t": second(at).isoformat()}


def test_a_dataclass_is_the_state_and_survives_a_restart(app: hr.App) -> None:
    with TestDriver(visits(app), start=BASE) as driver:
        driver.feed("views", [view(1), view(2, page="q"), view(3, "b")])
        driver.restart()
        driver.feed("views", view(4))
        driver.feed("views", view(30, "c"))
        first, second_ = sorted(driver.read("visits"), key=lambda row: row["id"])
        assert (first["id"], first["n"], first["pages"]) == ("a", 3, ["p", "q", "p"])
        assert dict(first["seen"]) == {"p": 2, "q": 1}
        assert first["last"].second == 4
        assert second_["n"] == 1
        driver.feed("views", view(31))
        driver.drain()
        assert {row["id"]: row["n"] for row in driver.read("visits")} == {"a": 1, "c": 1}, "it was forgotten"


def test_rows_go_on_to_windows_with_their_times(app: hr.App) -> None:
    rows = app.read(READ, event_time="t")

    def ends(row: Any, state: Any, timers: Any) -> Any:
        timers.event(row.t + timedelta(seconds=5))
        yield row.id, "row"

    passed = rows.key_by("id").process(
        ends, "id string, what string", on_timer=lambda t, s: [(t.key.id, "timer")]
    )
    counts = passed.key_by("what").window(hr.tumbling("10 seconds")).agg(n="count(*)")
    counts.select("what", "n", at="second(window.start)").write(hr.memory("counts"))
    with TestDriver(app, start=BASE) as driver:
        driver.feed(
            "rows", [{"id": "a", "t": second(3).isoformat()}, {"id": "b", "t": second(4).isoformat()}]
        )
        driver.feed("rows", {"id": "c", "t": second(40).isoformat()})
        assert sorted(tuple(row.values()) for row in driver.read("counts")) == [
            ("row", 2, 0),
            ("timer", 2, 0),
        ]
        assert driver.read_late("counts") == []
        driver.drain()
        assert sorted(tuple(row.values()) for row in driver.read("counts")) == [
            ("row", 1, 40),
            ("timer", 1, 40),
        ]


def test_a_checkpoint_of_another_state_is_refused(app: hr.App, folder: Any) -> None:
    def run(state: str) -> None:
        job = hr.App("job")
        job._origin = app._origin
        rows = job.read(hr.files("in", "json", schema="id string, n int, t timestamp"))
        rows.key_by("id").process(lambda row, state: (row.id,), "id string", state=state).write(
            hr.memory("m")
        )
        job.run(mode="available-now", view=Silent())

    run("n long")
    run("n  long")
    with pytest.raises(CheckpointMismatch) as caught:
        run("n double")
    assert (
        "holds state for process by id, state: n long; the program now says process by id, state: n double"
        in str(caught.value)
    )
    assert caught.value.origin is not None
    assert ".process(" in caught.value.origin.code


# Mistakes.

MISTAKES: dict[str, tuple[str, str, str, str]] = {
    "an error in the function": (
        "    return (1 // row.n,)", "n long", "return (1 // row.n,)",
        "ZeroDivisionError: integer division or modulo by zero (for the key id = 'b')",
    ),
    "an error in a generator": (
        "    yield (1 // row.n,)", "n long", "yield (1 // row.n,)",
        "ZeroDivisionError: integer division or modulo by zero (for the key id = 'b')",
    ),
    "a column of the state that is not there": (
        "    state.m = 1", "n long", "state.m = 1",
        "AttributeError: 'State' object has no attribute 'm' (for the key id = 'b')",
    ),
    "a result of another type": (
        "    return ('x',)", "n long", "process(f",
        "TypeError: f() gave n = 'x', which is not int64 (for the key id = 'b')",
    ),
    "too many values": (
        "    return (1, 2)", "n long", "process(f",
        "TypeError: f() returned 2 values; the schema has 1: n (for the key id = 'b')",
    ),
    "a state of another type": (
        "    state.n = 'x'", "n long", "process(f",
        "TypeError: f() set the state's n = 'x', which is not int64 (for the key id = 'b')",
    ),
    "a timer that nothing takes": (
        "    timers.event(row.t)", "n long", "timers.event(row.t)",
        "TypeError: a timer is set, and nothing takes it: give process(…, on_timer=function) (for the key id = 'b')",
    ),
}  # fmt: skip


@pytest.mark.parametrize("body, schema, line, told", MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_told_at_the_users_line(
    fails: Callable[..., Any], body: str, schema: str, line: str, told: str
) -> None:
    found = fails(
        "def f(row, state, timers):\n"
        f"{body}\n"
        f"b = rows.where(\"id = 'b'\").select('id', 't', n='n - 2')\n"
        f"b.key_by('id').process(f, '{schema}', state='n long').write(hr.memory('m'))\n"
        "app.run(mode='batch')\n"
    )
    assert told in found.stderr
    assert found.at(line) in found.stderr


def test_the_kernel_itself_refuses_a_state_of_another_shape(app: hr.App) -> None:
    def job(state: str) -> Any:
        made = hr.App("job")
        rows = made.read(READ, event_time="t")
        rows.key_by("id").process(lambda row, state: None, "id string", state=state).write(hr.memory("m"))
        return made

    one, other = job("n long"), job("n double")
    with TestDriver(one, start=BASE) as driver:
        driver.feed("rows", {"id": "a", "t": second(1).isoformat()})
        driver._job = driver._captured(other.job)
        with pytest.raises(
            JobFailed, match="keeps the state n BIGINT of each key, and process.. now has n DOUBLE"
        ):
            driver.restart()
            driver.feed("rows", {"id": "a", "t": second(2).isoformat()})
