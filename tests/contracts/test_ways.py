"""The same windows on Spark itself: in one batch, cut anyhow, one row a batch, restarted, and as a batch run."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import headrace as hr
from contracts.agreement import difference, of_kernel, of_model
from contracts.cases import Case, Spec
from contracts.cuts import Batch, at, cut, everywhere, in_order, placed, whole
from contracts.fixed import CASE, MORE, WINDOWS
from contracts.jobs import BASE, FIELDS, aggregates_of, fields, in_micros, job, told
from headrace.testing import At, TestDriver
from reference.records import Event, Mark, Row

Cut = Callable[[int], bool]


@dataclass(frozen=True)
class Outcome:
    """What has left a job, each with the number of its window; and the case's events as they were taken in."""

    case: Case
    events: list[Event]
    rows: list[dict[str, Any]]
    late: list[dict[str, Any]]


def micro_batch(case: Case, cuts: Cut, restarts: Cut) -> Outcome:
    """The case in a real query's batches. Of late rows, the driver keeps those of the first window."""

    def around_marks(number: int) -> bool:
        return cuts(number) or any(isinstance(event, Mark) for event in case.events[number - 1 : number + 1])

    batches = cut(case, around_marks, restarts)
    app = job(case, hr.kafka("rows", value=hr.json(FIELDS)), late=False)
    with TestDriver(app, start=BASE, partitions={"rows": case.partitions}) as driver:
        for batch in batches:
            feed(driver, batch, case)
        rows, late = driver.read("out"), driver.read_late("out")
    exact = in_micros(case)
    again = cut(exact, around_marks, restarts)
    events = in_order(again, placed(again, kafka=False))
    return Outcome(exact, events, rows, [{"which": 0, **row} for row in late])


def feed(driver: TestDriver, batch: Batch, case: Case) -> None:
    numbers = {id(event): number for number, event in enumerate(case.events)}
    if batch.restart:
        driver.restart()
    if batch.tick is not None:
        driver.advance_time(BASE + timedelta(seconds=batch.tick) - driver._now)
    rows = [event for event in batch.events if isinstance(event, Row)]
    for mark in [event for event in batch.events if isinstance(event, Mark)]:
        assert not rows and mark.watermark is not None
        moment = BASE + timedelta(seconds=mark.watermark)
        driver.advance_watermark("rows", moment, partition=mark.partition)
    if rows:
        driver.feed("rows", [At(row.partition, fields(numbers[id(row)], row)) for row in rows])
    if batch.drain:
        driver.drain()


def agree(outcome: Outcome, specs: tuple[Spec, ...], lates: range) -> None:
    """Each window told what the model says; and of those in `lates`, late rows were kept."""
    wrong: list[str] = []
    for which, spec in enumerate(specs):
        rows, late = (
            [row for row in found if row["which"] == which] for found in (outcome.rows, outcome.late)
        )
        kind = aggregates_of(spec)
        model = of_model(outcome.case, spec, outcome.case.expected(spec, outcome.events), kind)
        kernel = of_kernel(outcome.case, spec, [told(rows, late)], kind)
        if which not in lates:
            model = replace(model, late={})
        text = difference(kernel, model)
        wrong += [f"window {which}, {spec['window']['kind']}: {text}"] if text else []
    assert not wrong, "\n".join(wrong)


WAYS: dict[str, Callable[[Case], Outcome]] = {
    "one batch": partial(micro_batch, cuts=whole, restarts=whole),
    "one row a batch": partial(micro_batch, cuts=everywhere, restarts=whole),
    "cut and restarted": partial(micro_batch, cuts=at({5, 11}), restarts=at({2, 8, 13})),
}
"""Ways in which a query may take the case; each gives what left, and in which order it took the events."""


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_query(spark: SparkSession, way: Callable[[Case], Outcome]) -> None:
    outcome = way(CASE)
    agree(outcome, outcome.case.specs, range(1))


def test_a_batch_run(spark: SparkSession, tmp_path: Path) -> None:
    """As rows of one file; without a trigger each window tells its result once."""
    specs = tuple(spec for spec in (*WINDOWS, *MORE) if spec["on"] == "event")
    case = replace(CASE, specs=specs).in_batch
    (tmp_path / "in").mkdir()
    rows = [json.dumps(fields(number, row)) for number, row in enumerate(case.events) if isinstance(row, Row)]
    (tmp_path / "in" / "rows.json").write_text("\n".join(rows))
    app = job(case, hr.files(str(tmp_path / "in"), "json", schema=FIELDS), late=True)
    app.run(mode="batch")
    out, late = (write.sink.rows for write in app.job.writes)
    exact = in_micros(case)
    specs = tuple({**spec, "final_only": True} if spec["trigger"] is None else spec for spec in exact.specs)
    agree(Outcome(exact, list(exact.events), out, late), specs, range(len(specs)))
