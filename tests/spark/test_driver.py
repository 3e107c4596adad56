"""TestDriver: the calls that a user's own tests are made of."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

import headrace as hr
from headrace.errors import InvalidOption, JobFailed, Unsupported
from headrace.origin import Origin
from headrace.testing import TestDriver

Rows = list[dict[str, Any]]


def at(second: int, id: str = "a") -> dict[str, Any]:
    return {"id": id, "t": f"2026-01-01T00:{second // 60:02}:{second % 60:02}Z"}


@pytest.fixture
def counting(app: hr.App) -> hr.App:
    """Counts by id in windows of ten seconds, five seconds of delay."""
    rows = app.read(
        hr.kafka("views", value=hr.json("id string, t timestamp")), event_time="t", delay="5 seconds"
    )
    counts = rows.key_by("id").window(hr.tumbling("10 seconds"), late="drop").agg(n="count(*)")
    counts.select("id", "n", second="second(window.start)").write(hr.kafka("counts"))
    return app


def found(rows: Rows) -> list[tuple[Any, ...]]:
    return sorted(tuple(row.values()) for row in rows)


def test_a_window_closes_when_the_watermark_passes_its_end(counting: hr.App) -> None:
    with TestDriver(counting) as driver:
        driver.feed("views", [at(1), at(2), at(3, "b")])
        assert driver.read("counts") == []
        driver.feed("views", at(14))
        assert driver.read("counts") == []
        driver.feed("views", at(15))
        assert found(driver.read("counts")) == [("a", 2, 0), ("b", 1, 0)]
        assert driver.read("counts") == []
        driver.feed("views", at(4))  # late: its window is closed
        driver.advance_watermark("views", "2026-01-01T00:00:20")
        assert found(driver.read("counts")) == [("a", 2, 10)]
        assert found(driver.table("counts")) == [("a", 2, 0), ("a", 2, 10), ("b", 1, 0)]


def test_state_and_watermark_survive_a_restart(counting: hr.App) -> None:
    with TestDriver(counting) as driver:
        driver.feed("views", [at(1), at(2)])
        driver.restart()
        driver.feed("views", at(3))
        driver.restart()
        driver.drain()
        assert found(driver.read("counts")) == [("a", 3, 0)]


def test_one_row_a_batch_gives_the_same(counting: hr.App) -> None:
    rows = [at(1), at(11, "b"), at(8), at(31), at(2, "late"), at(33)]
    tables = []
    for one in (False, True):
        with TestDriver(counting, one_row_a_batch=one) as driver:
            driver.feed("views", rows[:4])
            driver.feed("views", rows[4:])
            driver.drain()
            tables.append(found(driver.table("counts")))
    assert tables[0] == tables[1] == [("a", 2, 0), ("a", 2, 30), ("b", 1, 10)]


def test_after_drain_nothing_can_be_fed(counting: hr.App) -> None:
    with TestDriver(counting) as driver:
        driver.drain()
        with pytest.raises(InvalidOption, match="the driver has been drained") as caught:
            driver.feed("views", at(1))
        assert caught.value.hint == "feed before drain(), or take a new driver"


def test_names_that_are_not_there(counting: hr.App) -> None:
    with TestDriver(counting) as driver:
        with pytest.raises(InvalidOption, match="no source 'view'") as caught:
            driver.feed("view", at(1))
        assert caught.value.hint == "did you mean 'views'? (the sources are: views)"
        with pytest.raises(InvalidOption, match="no sink 'count'") as caught:
            driver.read("count")
        assert caught.value.hint == "did you mean 'counts'? (the sinks are: counts)"
        with pytest.raises(Unsupported, match="'counts' keeps no late rows"):
            driver.read_late("counts")


def test_a_feed_is_quick_once_warm(counting: hr.App) -> None:
    with TestDriver(counting) as driver:
        driver.feed("views", at(1))
        began = time.monotonic()
        for second in range(2, 7):
            driver.feed("views", at(second))
        each = (time.monotonic() - began) / 5
        busy = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
        assert each < busy, f"{each:.2f} s, with {busy:.1f} threads a processor"


def test_processing_time_is_the_drivers(app: hr.App) -> None:
    rows = app.read(hr.kafka("ticks", value=hr.json("n int")))
    windows = hr.tumbling("10 seconds", on="processing")
    for name, late in (("changed", "drop"), ("complete", None)):
        counts = rows.window(windows, late=late).agg(n="sum(n)")
        counts.select("n", second="second(window.start)").write(hr.memory(name), output="update")
    with TestDriver(app, start="2026-01-01T00:00:05") as driver:
        driver.feed("ticks", [{"n": 1}, {"n": 2}])
        driver.advance_time("3 seconds")
        driver.feed("ticks", {"n": 4})
        driver.advance_time("2 seconds")
        driver.feed("ticks", {"n": 8})
        assert found(driver.read("changed")) == [(3, 0), (7, 0), (8, 10)], "Spark tells every change"
        assert found(driver.read("complete")) == [(7, 0)], "the kernel tells what is complete"
        driver.drain()
        assert found(driver.read("complete")) == [(8, 10)]


def test_the_table_of_a_changing_result_is_its_present_state(app: hr.App) -> None:
    rows = app.read(hr.kafka("ticks", value=hr.json("id string, n int")))
    sums = rows.key_by("id").agg(n="sum(n)")
    sums.write(hr.memory("changed"))
    sums.write(hr.memory("whole"), output="complete")
    with TestDriver(app) as driver:
        driver.feed("ticks", [{"id": "a", "n": 1}, {"id": "b", "n": 2}])
        driver.feed("ticks", {"id": "a", "n": 5})
        assert found(driver.table("changed")) == [("a", 6), ("b", 2)]
        assert found(driver.table("whole")) == [("a", 6), ("b", 2)]
        assert found(driver.read("changed")) == [("a", 1), ("a", 6), ("b", 2)]
        driver.feed("ticks", {"id": "b", "n": 1})
        assert found(driver.read("changed")) == [("b", 3)]


def test_a_failing_function_fails_the_feed_at_its_line(app: hr.App) -> None:
    rows = app.read(hr.kafka("ticks", value=hr.json("n int")))
    rows.map(lambda row: (1 // row.n,), "n int").write(hr.memory("m"))
    with TestDriver(app) as driver:
        driver.feed("ticks", {"n": 1})
        with pytest.raises(JobFailed, match="ZeroDivisionError") as caught:
            driver.feed("ticks", {"n": 0})
        assert caught.value.origin is not None
        assert (
            caught.value.origin.code == 'rows.map(lambda row: (1 // row.n,), "n int").write(hr.memory("m"))'
        )


def test_a_source_with_columns_of_its_own(app: hr.App) -> None:
    app.read(hr.rate(), name="rate").where("value > 1").write(hr.memory("m"))
    app.read(hr.files("in", "text"), name="lines").write(hr.memory("l"))
    with TestDriver(app) as driver:
        driver.feed("rate", [{"timestamp": "2026-01-01T00:00:00", "value": value} for value in (1, 2)])
        driver.feed("lines", ["x"])
        assert [row["value"] for row in driver.read("m")] == [2]
        assert driver.read("l") == [{"value": "x"}]


def test_the_checkpoint_is_gone_when_the_driver_is(counting: hr.App, tmp_path: Path) -> None:
    with TestDriver(counting) as driver:
        folder = driver._folder
        assert folder.is_dir()
    assert not folder.exists()
    assert Origin(str(tmp_path / "job.py"), 1) == counting._origin
