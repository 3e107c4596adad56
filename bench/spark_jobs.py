"""Jobs of the throughput and growth suites that run in the bench's own Spark session, ours and by hand."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.rows import DELAY, SCHEMA
from bench.works import MIXED, Answer, Work


@dataclass
class Taken:
    """What a job gave, and the seconds that its batches took."""

    cutoff: int
    results: int = 0
    checksum: int = 0
    seconds: float = 0.0
    batches: list[dict[str, Any]] = field(default_factory=list)

    @property
    def answer(self) -> Answer:
        return Answer(self.results, self.checksum)

    def sink(self, frame: Any, _number: int = 0) -> None:
        """Counts results, and sums their numbers up: the same sink for every job."""
        kept = frame.where(f"ends <= {self.cutoff // 1000}")
        found = kept.selectExpr("count(*) AS results", f"coalesce(sum({MIXED}), 0) AS checksum").first()
        self.results += found["results"]
        self.checksum += found["checksum"]


Job = Callable[[Any, Path, Path, Taken, int], None]
"""Runs over a folder of files, with a folder for its checkpoint, into a sink, so many files a batch."""

ENDS = {
    "aligned": "unix_millis(window.end)",
    "session": "unix_millis(window.end)",
    "count": "0L",
    "trailing": "unix_millis(window.end)",
}


def measured(job: Job, spark: Any, rows: Path, cutoff: int, files: int) -> Taken:
    """Run a job in a folder that is gone afterwards."""
    folder = Path(tempfile.mkdtemp(dir=rows.parent))
    taken = Taken(cutoff)
    try:
        job(spark, rows, folder / "checkpoint", taken, files)
    finally:
        shutil.rmtree(folder)
    return taken


def by_us(work: Work, mode: str = "available-now") -> Job:
    """Headrace, its windows on the kernel (late rows are kept, as nobody says that they may go)."""
    import headrace as hr
    from headrace.runtime.progress import Silent

    windows = {
        "aligned": lambda: hr.sliding(lasting(work.size), every=lasting(work.every)),
        "session": lambda: hr.session(lasting(work.size)),
        "count": lambda: hr.count(work.n),
        "trailing": lambda: hr.trailing(lasting(work.size)),
    }

    def run(_spark: Any, rows: Path, checkpoint: Path, taken: Taken, files: int) -> None:
        app = hr.App("bench")
        options = {"maxFilesPerTrigger": str(files)} if mode != "batch" else {}
        source = hr.files(rows, "parquet", schema=SCHEMA, options=options)
        stream = app.read(source, event_time="ts", delay=lasting(DELAY))
        result = stream.key_by("key").window(windows[work.kind]()).agg(n="count(*)", total="sum(value)")
        shown = result.select("key", f"{ENDS[work.kind]} AS ends", "n", "total")
        shown.where(f"n = {work.n}" if work.n else "true").write(hr.foreach_batch(taken.sink))
        began = time.perf_counter()
        with Queries() as started:
            app.run(mode=mode, checkpoint=str(checkpoint), view=Silent())
        taken.seconds = time.perf_counter() - began
        if mode != "batch":
            _report(taken, started[0])

    return run


def by_hand(work: Work, mode: str = "available-now") -> Job:
    """PySpark's own window aggregation."""

    def build(rows: Any) -> Any:
        from pyspark.sql import functions as F

        if work.kind == "session":
            window = F.session_window("ts", lasting(work.size)).alias("window")
        else:
            window = F.window("ts", lasting(work.size), lasting(work.every)).alias("window")
        late = rows.withWatermark("ts", lasting(DELAY)) if mode != "batch" else rows
        result = late.groupBy("key", window).agg(F.count("*").alias("n"), F.sum("value").alias("total"))
        return result.selectExpr("key", f"{ENDS[work.kind]} AS ends", "n", "total")

    return _spark_job(build, mode)


def over(work: Work) -> Job:
    """Spark SQL's window functions, which only a batch has."""

    def build(rows: Any) -> Any:
        back = f"RANGE BETWEEN INTERVAL {(work.size - 1) / 1_000_000:f} SECOND PRECEDING AND CURRENT ROW"
        over = f"(PARTITION BY key ORDER BY ts {back})"
        return rows.selectExpr("key", "unix_millis(ts) AS ends", f"count(*) OVER {over} AS n",
                               f"sum(value) OVER {over} AS total")  # fmt: skip

    return _spark_job(build, "batch")


def _spark_job(build: Callable[[Any], Any], mode: str) -> Job:
    def run(spark: Any, rows: Path, checkpoint: Path, taken: Taken, files: int) -> None:
        began = time.perf_counter()
        if mode == "batch":
            taken.sink(build(spark.read.schema(SCHEMA).parquet(str(rows))))
            taken.seconds = time.perf_counter() - began
            return
        reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", files)
        writer = build(reader.parquet(str(rows))).writeStream.foreachBatch(taken.sink)
        query = writer.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True).start()
        query.awaitTermination()
        _report(taken, query)

    return run


class Queries:
    """The Spark queries that Headrace starts meanwhile, whose own reports tell how long batches took."""

    def __enter__(self) -> list[Any]:
        from headrace.spark import queries

        started: list[Any] = []
        self._usual = usual = queries.Starter.start

        def keep(own: Any, query: Any) -> Any:
            started.append(usual(own, query))
            return started[-1]

        queries.Starter.start = keep  # type: ignore[method-assign]
        return started

    def __exit__(self, *_: object) -> None:
        from headrace.spark import queries

        queries.Starter.start = self._usual  # type: ignore[method-assign]


def reports(query: Any) -> list[dict[str, Any]]:
    """What a query has told of its batches; those without rows too."""
    return [json.loads(report.json()) for report in query._jsq.recentProgress()]


def _report(taken: Taken, query: Any) -> None:
    taken.batches = reports(query)
    taken.seconds = sum(report["durationMs"]["triggerExecution"] for report in taken.batches) / 1000


def lasting(micros: int) -> str:
    return f"{micros} microseconds"
