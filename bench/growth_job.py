"""`python -m bench.growth_job JOB`: the growth suite's work, in a Spark session with a heap of its own.

JOB is JSON: folder, files and rows of each (for the growth of rows), keys (a list), steps and fresh (for
what lateness frees). It tells its findings as JSON on its last line.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench.rows import DELAY, EPOCH, SCHEMA, Rows, write_file
from bench.spark_jobs import Queries, lasting, reports

HOUR = 3_600_000_000
MEGABYTE = 1 << 20


def main(job: dict[str, Any]) -> dict[str, Any]:
    folder = Path(job["folder"])
    os.chdir(folder)
    spark = _session(folder)
    _rows(folder, Rows(8 * job["rows"] // 10, 10_000, 8), "warm")
    return {
        "rows": _rows(folder, Rows(job["files"] * job["rows"], 10_000, job["files"]), "rows"),
        "keys": [_keys(spark, folder, keys) for keys in job["keys"]],
        "lateness": {
            said: _fresh(spark, folder, job["steps"], job["fresh"], said) for said in ("0 seconds", "1 hour")
        },
    }


def _session(folder: Path) -> Any:
    from headrace.settings import Project
    from headrace.spark.session import session

    spark = session("growth", Project(folder), conf={"spark.sql.streaming.numRecentProgressUpdates": "1000"})
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def _rows(folder: Path, rows: Rows, name: str) -> list[dict[str, float]]:
    """Tumbling windows of 10 s over ever more rows: the seconds of each batch, and the rows up to its end."""
    seconds = _run(folder, rows.write(folder / name), "10 seconds", "0 seconds", lambda _number: None)
    share = 2 * rows.rows // rows.files
    return [{"rows": share * (at + 1), "seconds": spent} for at, spent in enumerate(seconds)]


def _keys(spark: Any, folder: Path, keys: int) -> dict[str, float]:
    """A window that stays open, with ever more keys in it: rows a second of filling and of a second pass."""
    place = folder / f"keys-{keys}"
    place.mkdir()
    half, order = max(2, keys // 250_000), np.random.default_rng(keys)
    for turn in range(2):
        for part, some in enumerate(np.array_split(order.permutation(keys), half)):
            times = np.full(len(some), EPOCH + (turn * half + part) * 1_000_000)
            write_file(place, turn * half + part, some, times, np.ones(len(some)))
    before = held(spark)
    found: dict[str, float] = {}

    def last(number: int) -> None:
        if number == half - 1:  # two files a batch, so this is the last one
            found["megabytes"] = held(spark) - before

    seconds = _run(folder, place, "1 day", "0 seconds", last)
    filling, again = seconds[: half // 2], seconds[half // 2 : half]
    checkpoint = folder / f"{place.name}-1-day-0-seconds"
    return {
        "keys": keys,
        "filling": keys / sum(filling),
        "again": keys / sum(again),
        "disk": sum(file.stat().st_size for file in checkpoint.rglob("*") if file.is_file()) / MEGABYTE,
        **found,
    }


def _fresh(spark: Any, folder: Path, steps: int, fresh: int, lateness: str) -> list[dict[str, float]]:
    """Ever new keys, in windows of 10 s that are kept for so long: the heap that is held after each batch."""
    place = folder / f"fresh-{lateness.replace(' ', '-')}"
    place.mkdir()
    for file in range(2 * steps):
        keys = np.arange(file * fresh, (file + 1) * fresh)
        times = EPOCH + file * 10_000_000 + keys % 10_000_000 // 10_000 * 10_000
        write_file(place, file, keys, times, np.ones(fresh))
    before = held(spark)
    found: list[dict[str, float]] = []

    def each(number: int) -> None:
        found.append({"keys": (number + 1) * 2 * fresh, "megabytes": held(spark) - before})

    _run(folder, place, "10 seconds", lateness, each)
    return found


def held(spark: Any) -> float:
    """Megabytes of the heap that are in use after a collection."""
    runtime = spark._jvm.java.lang.Runtime.getRuntime()
    for _ in range(2):
        spark._jvm.java.lang.System.gc()
        time.sleep(0.2)
    return float(runtime.totalMemory() - runtime.freeMemory()) / MEGABYTE


def _run(folder: Path, rows: Path, window: str, lateness: str, each: Callable[[int], None]) -> list[float]:
    """The seconds of each batch; `each` is called as a batch ends, and its time does not count."""
    import headrace as hr
    from headrace.runtime.progress import Silent

    away: dict[int, float] = {}

    def sink(frame: Any, number: int) -> None:
        frame.selectExpr("count(*)").first()
        began = time.perf_counter()
        each(number)
        away[number] = time.perf_counter() - began

    app = hr.App("growth")
    source = hr.files(rows, "parquet", schema=SCHEMA, options={"maxFilesPerTrigger": "2"})
    stream = app.read(source, event_time="ts", delay=lasting(DELAY)).key_by("key")
    counts = stream.window(hr.tumbling(window), lateness=lateness).agg(n="count(*)", total="sum(value)")
    counts.write(hr.foreach_batch(sink))
    name = f"{rows.name}-{window}-{lateness}".replace(" ", "-")
    with Queries() as started:
        app.run(mode="available-now", checkpoint=str(folder / name), view=Silent())
    batches = [report for report in reports(started[0]) if report["numInputRows"]]
    return [
        report["durationMs"]["triggerExecution"] / 1000 - away.get(report["batchId"], 0) for report in batches
    ]


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
