"""Rows that cannot be read: none is lost, each is kept with its reason, and it is the same in a batch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import headrace as hr
from headrace.origin import Origin
from headrace.runtime.progress import Silent
from headrace.testing import TestDriver

GOOD = {"id": "a", "n": 1, "t": "2026-01-01T00:00:01Z"}
EMPTY, SHAPE, TIME = "the value is empty", "the value is not json of the schema", "the event time t is null"
ABSURD = "the event time t is not between 1970 and 9999"
BAD: list[tuple[Any, str]] = [
    ("{", SHAPE),
    ("no json", SHAPE),
    ('{"id":"a","n":"many","t":"2026-01-01T00:00:01Z"}', SHAPE),
    ('{"id":"a","n":1,"t":"yesterday"}', SHAPE),
    ("[1, 2]", SHAPE),
    ('{"id":"a","n":1}', TIME),
    ('{"id":"a","n":1,"t":null}', TIME),
    ('{"id":"a","n":1,"t":"1969-12-31T23:59:59Z"}', ABSURD),
    ('{"id":"a","n":1,"t":"9999-01-01T00:00:00Z"}', ABSURD),
    ('{"id":"a","n":1,"t":"+12345-01-01T00:00:00Z"}', ABSURD),
    ("", EMPTY),
    ("   ", EMPTY),
    (b"\xff\xfe\xfd", SHAPE),
]


def job(folder: Path) -> hr.App:
    app = hr.App("rejects")
    app._origin = Origin(str(folder / "job.py"), 1)
    rows = app.read(
        hr.kafka("orders", value=hr.json("id string, n int, t timestamp")), event_time="t", name="orders"
    )
    rows.write(hr.memory("good"))
    rows.rejected.write(hr.memory("bad"))
    return app


def test_each_bad_row_has_its_reason(spark: SparkSession, folder: Path) -> None:
    with TestDriver(job(folder)) as driver:
        driver.feed("orders", [GOOD, *(value for value, _reason in BAD)], partition=3)
        assert [row["id"] for row in driver.read("good")] == ["a"]
        bad = driver.read("bad")
        assert bad == driver.read_rejected("orders")
        assert [(row["raw"], row["reason"]) for row in bad] == [
            (value if isinstance(value, bytes) else value.encode(), reason) for value, reason in BAD
        ]
        assert {(row["source"], row["topic"], row["partition"]) for row in bad} == {("orders", "orders", 3)}
        assert [row["offset"] for row in bad] == list(range(1, len(BAD) + 1))
        driver.feed("orders", "{")
        assert [row["raw"] for row in driver.read_rejected("orders")] == [b"{"]


def test_the_same_rows_are_rejected_in_a_batch_over_files(spark: SparkSession, folder: Path) -> None:
    lines = [value.encode() if isinstance(value, str) else value for value, _reason in BAD if value]
    (folder / "in" / "rows.json").write_bytes(b"\n".join([json.dumps(GOOD).encode(), *lines]))
    app = hr.App("rejects")
    app._origin = Origin(str(folder / "job.py"), 1)
    rows = app.read(hr.files("in", "json", schema="id string, n int, t timestamp"), event_time="t")
    good, bad, counted = hr.memory("good"), hr.memory("bad"), hr.memory("counted")
    rows.write(good)
    rows.rejected.write(bad)
    rows.key_by("id").agg(n="count(*)").write(counted)
    app.run(mode="batch", view=Silent())
    assert [row["id"] for row in good.rows] == ["a"]
    assert counted.rows == [{"id": "a", "n": 1}]
    assert sorted(row["reason"] for row in bad.rows) == sorted(reason for value, reason in BAD if value)
    assert {row["file"] for row in bad.rows} == {f"file:{folder}/in/rows.json"}


def test_text_and_csv_keep_their_own_rules(spark: SparkSession, folder: Path) -> None:
    app = hr.App("rejects")
    app._origin = Origin(str(folder / "job.py"), 1)
    app.read(hr.kafka("lines")).write(hr.memory("text"))
    numbers = app.read(hr.kafka("numbers", value=hr.csv("id string, n int")))
    numbers.write(hr.memory("csv"))
    with TestDriver(app) as driver:
        driver.feed("lines", ["a", "", "b"])
        assert [row["value"] for row in driver.read("text")] == ["a", "", "b"]
        driver.feed("numbers", ["a,1", {"n": 2, "id": "b"}, "c,x", "d"])
        assert driver.read("csv") == [{"id": "a", "n": 1}, {"id": "b", "n": 2}]
        assert [row["raw"] for row in driver.read_rejected("numbers")] == [b"c,x", b"d"]


VALUE = st.one_of(
    st.just(json.dumps(GOOD)),
    st.sampled_from([value for value, _reason in BAD]),
    st.text(max_size=8),
    st.binary(max_size=8),
    st.dictionaries(st.sampled_from(["id", "n", "t", "x"]), st.none() | st.integers() | st.text(max_size=5)),
)


@pytest.fixture(scope="module")
def driver(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Any:
    with TestDriver(job(tmp_path_factory.mktemp("rejects"))) as driver:
        yield driver


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None)
@given(st.lists(VALUE, min_size=1, max_size=20))
def test_good_and_rejected_rows_are_all_that_was_fed(driver: TestDriver, values: list[Any]) -> None:
    driver.feed("orders", values)
    good, bad = driver.read("good"), driver.read("bad")
    assert len(good) + len(bad) == len(values)
    assert all(row["t"] is not None for row in good)
    assert {row["reason"] for row in bad} <= {EMPTY, SHAPE, TIME, ABSURD}
