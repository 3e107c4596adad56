"""Every verb, fed by hand as a stream and run as a batch over files: the same final rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import headrace as hr
from headrace.origin import Origin
from headrace.runtime.progress import Silent
from headrace.streams.stream import Stream
from headrace.testing import TestDriver

ROWS = [
    {"id": "a", "n": 1, "t": "2026-01-01T00:00:01Z"},
    {"id": "b", "n": 2, "t": "2026-01-01T00:00:02Z"},
    {"id": "a", "n": 3, "t": "2026-01-01T00:00:11Z"},
    {"id": None, "n": 4, "t": "2026-01-01T00:00:12Z"},
    {"id": "a", "n": 5, "t": "2026-01-01T00:00:41Z"},
]
Build = Callable[[Stream], Stream]


def doubled(row: Any) -> Any:
    return {"id": row.id, "n": row.n * 2, "t": row.t}


def repeated(row: Any) -> Any:
    for _ in range(row.n % 3):
        yield row.id, row.n


def larger(so_far: Any, row: Any) -> Any:
    return row if row.n > so_far.n else so_far


def first_and_sum(so_far: Any, row: Any) -> Any:
    return {"id": so_far.id, "n": so_far.n + row.n, "t": so_far.t}


def windowed(window: Any, key: str = "id") -> Build:
    return lambda rows: (
        rows.key_by(key).window(window, late="drop").agg(n="count(*)", total=F.sum("n"))
        .select(key, "n", "total", start="date_format(window.start, 'HH:mm:ss')", end="date_format(window.end, 'HH:mm:ss')")
    )  # fmt: skip


STATELESS: dict[str, tuple[Build, list[tuple[Any, ...]]]] = {
    "where": (lambda s: s.where("n > 3").select("n"), [(4,), (5,)]),
    "where Column": (lambda s: s.where(F.col("id").isNull()).select("n"), [(4,)]),
    "select": (
        lambda s: s.where("n = 1").select("id", "n", m="n * 10", up=F.upper("id")),
        [("a", 1, 10, "A")],
    ),
    "with_columns": (
        lambda s: s.where("n = 2").with_columns(n="n + 1", m="n").drop("t"),
        [("b", 3, 2)],
    ),
    "drop": (lambda s: s.where("n = 2").drop("t", "n"), [("b",)]),
    "rename": (lambda s: s.where("n = 2").rename({"id": "key"}, n="m").select("key", "m"), [("b", 2)]),
    "map": (
        lambda s: s.map(doubled, "id string, n int, t timestamp").where("n < 5").select("id", "n"),
        [("a", 2), ("b", 4)],
    ),
    "flat_map": (
        lambda s: s.flat_map(repeated, "id string, n int"),
        [("a", 1), ("a", 5), ("a", 5), ("b", 2), ("b", 2), (None, 4)],
    ),
    "union": (
        lambda s: s.where("n = 1").select("id", "n").union(s.where("n = 2").select("n", "id")),
        [("a", 1), ("b", 2)],
    ),
    "sql": (lambda s: s.sql("SELECT id, n % 2 AS odd FROM {stream} WHERE n < 3"), [("a", 1), ("b", 0)]),
}
CHANGING: dict[str, tuple[Build, list[tuple[Any, ...]]]] = {
    "agg": (
        lambda s: s.key_by("id").agg(n=F.count("*"), top="max(n)"),
        [("a", 3, 5), ("b", 1, 2), (None, 1, 4)],
    ),
    "agg of an expression": (
        lambda s: s.key_by(odd="n % 2").agg(n="count(*)"),
        [(0, 2), (1, 3)],
    ),
    "reduce": (lambda s: s.key_by("id").reduce(larger).select("id", "n"), [("a", 5), ("b", 2), (None, 4)]),
    "reduce to a dict": (
        lambda s: s.key_by("id").reduce(first_and_sum).select("id", "n"),
        [("a", 9), ("b", 2), (None, 4)],
    ),
    "sql aggregate": (
        lambda s: s.sql("SELECT id, count(*) AS n FROM {stream} WHERE id IS NOT NULL GROUP BY id"),
        [("a", 3), ("b", 1)],
    ),
}
WINDOWED: dict[str, tuple[Build, list[tuple[Any, ...]]]] = {
    "tumbling": (
        windowed(hr.tumbling("10 seconds")),
        [
            ("a", 1, 1, "00:00:00", "00:00:10"), ("a", 1, 3, "00:00:10", "00:00:20"),
            ("a", 1, 5, "00:00:40", "00:00:50"), ("b", 1, 2, "00:00:00", "00:00:10"),
            (None, 1, 4, "00:00:10", "00:00:20"),
        ],
    ),
    "tumbling offset": (
        windowed(hr.tumbling("10 seconds", offset="2 seconds")),
        [
            ("a", 1, 1, "23:59:52", "00:00:02"), ("a", 1, 3, "00:00:02", "00:00:12"),
            ("a", 1, 5, "00:00:32", "00:00:42"), ("b", 1, 2, "00:00:02", "00:00:12"),
            (None, 1, 4, "00:00:12", "00:00:22"),
        ],
    ),
    "sliding": (
        lambda s: windowed(hr.sliding("20 seconds", every="10 seconds"))(s.where("id = 'a' AND n < 5")),
        [
            ("a", 1, 1, "23:59:50", "00:00:10"), ("a", 2, 4, "00:00:00", "00:00:20"),
            ("a", 1, 3, "00:00:10", "00:00:30"),
        ],
    ),
    "session": (
        windowed(hr.session("15 seconds")),
        [
            ("a", 2, 4, "00:00:01", "00:00:26"), ("a", 1, 5, "00:00:41", "00:00:56"),
            ("b", 1, 2, "00:00:02", "00:00:17"), (None, 1, 4, "00:00:12", "00:00:27"),
        ],
    ),
    "session of a gap a row": (
        lambda s: windowed(hr.session(F.when(F.col("n") == 1, "5 seconds").otherwise("1 minute")))(
            s.where("id = 'a'")
        ),
        [("a", 1, 1, "00:00:01", "00:00:06"), ("a", 2, 8, "00:00:11", "00:01:41")],
    ),
    "without a key": (
        lambda s: s.window(hr.tumbling("1 minute"), late="drop").agg(n="count(*)").select("n"),
        [(5,)],
    ),
}  # fmt: skip


def job(folder: Path) -> tuple[hr.App, Stream]:
    app = hr.App("verbs")
    app._origin = Origin(str(folder / "job.py"), 1)
    schema = "id string, n int, t timestamp"
    return app, app.read(hr.files("rows", "json", schema=schema), event_time="t", name="rows")


def rows_of(found: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return sorted((tuple(row.values()) for row in found), key=repr)


def in_batch(
    folder: Path, verbs: dict[str, tuple[Build, list[tuple[Any, ...]]]]
) -> dict[str, list[tuple[Any, ...]]]:
    (folder / "rows").mkdir()
    (folder / "rows" / "rows.json").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    app, rows = job(folder)
    sinks = {name: hr.memory(name) for name in verbs}
    for name, (build, _expected) in verbs.items():
        build(rows).write(sinks[name], name=name)
    app.run(mode="batch", view=Silent())
    return {name: rows_of(sink.rows) for name, sink in sinks.items()}


def in_stream(
    folder: Path, verbs: dict[str, tuple[Build, list[tuple[Any, ...]]]]
) -> dict[str, list[tuple[Any, ...]]]:
    app, rows = job(folder)
    for name, (build, _expected) in verbs.items():
        # which columns of a SQL result tell its rows apart is not known, so that only all of it is its table
        output = None if verbs is not CHANGING else "complete" if name.startswith("sql") else "update"
        build(rows).write(hr.memory(name), name=name, output=output)
    with TestDriver(app) as driver:
        driver.feed("rows", ROWS[:2])
        driver.feed("rows", ROWS[2:])
        driver.drain()
        return {name: rows_of(driver.table(name)) for name in verbs}


@pytest.mark.parametrize("run", [in_batch, in_stream])
@pytest.mark.parametrize("verbs", [STATELESS, CHANGING, WINDOWED], ids=["stateless", "changing", "windowed"])
def test_verbs(
    spark: SparkSession, folder: Path, run: Callable[..., dict[str, Any]], verbs: dict[str, tuple[Build, Any]]
) -> None:
    assert run(folder, verbs) == {
        name: sorted(expected, key=repr) for name, (_build, expected) in verbs.items()
    }
