"""What Headrace costs over hand-written PySpark doing the same work, in the same session, turn by turn.

The input is Parquet (and JSON lines for one work), read as a stream file by file, each file one batch; the
sink is Spark's no-op. For JSON, by hand means a bare `from_json` that lets rows go which do not parse. The
first batches of each run warm it up and do not count. Runs of the two systems take turns, and the numbers
are medians over the runs. A ratio above 1 means that Headrace takes longer.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.report import Result, median

SUITE = "overhead"
KEYS = 1_000
SCHEMA = "id long, key string, ts timestamp, value double"
SYSTEMS = ("pyspark", "headrace")


@dataclass(frozen=True)
class Size:
    """Files of so many rows, the first `warm` of which do not count; and how often each system runs."""

    files: int
    rows: int
    warm: int
    turns: int


def run(*, quick: bool) -> list[Result]:
    size = Size(3, 40_000, 1, 1) if quick else Size(12, 500_000, 2, 4)
    results = starts(turns=size.turns)
    with tempfile.TemporaryDirectory(prefix="headrace-bench-") as folder:
        results += works(Path(folder), size)
    return results


# Starting.


def starts(turns: int) -> list[Result]:
    """`import headrace`, and the time to the first batch of a job in a new process."""
    imports = [_python("import headrace") for _ in range(turns)]
    bare = [_python("pass") for _ in range(turns)]
    results = [_result("import", "headrace", "import time", (median(imports) - median(bare)) * 1000, "ms")]
    found: dict[str, list[float]] = {system: [] for system in SYSTEMS}
    for _ in range(turns):
        for system in SYSTEMS:
            found[system].append(_python(textwrap.dedent(FIRST_ROW[system])))
    results += [_result("start", name, "to the first result", median(found[name]), "s") for name in SYSTEMS]
    return [*results, _ratio("start", found)]


FIRST_ROW = {
    "pyspark": """
        import tempfile
        from pyspark.sql import SparkSession
        spark = (SparkSession.builder.master("local[*]").config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "2").getOrCreate())
        spark.sparkContext.setLogLevel("ERROR")
        rows = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 10).load()
        seen = []
        query = (rows.writeStream.foreachBatch(lambda frame, number: seen.extend(frame.collect()))
            .option("checkpointLocation", tempfile.mkdtemp()).start())
        while not seen:
            query.awaitTermination(0.05)
        query.stop()
    """,
    "headrace": """
        import tempfile
        import headrace as hr
        from headrace.runtime.progress import Silent
        from headrace.spark.session import session
        from headrace.settings import Project
        app = hr.App("first")
        spark = session("first", Project.find())
        rows = app.read(spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 10).load())
        seen = hr.memory()
        rows.write(seen)
        class UntilSeen(Silent):
            def update(self, progress):
                if seen.rows:
                    raise SystemExit(0)
        app.run(view=UntilSeen(), checkpoint=tempfile.mkdtemp())
    """,
}


def _python(program: str) -> float:
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-c", program],
            check=True,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    return time.perf_counter() - began


# Working.


def works(folder: Path, size: Size) -> list[Result]:
    """Each work by each system, turn by turn."""
    from headrace.settings import Project
    from headrace.spark.session import session

    os.chdir(folder)
    spark = session("bench", Project(folder))
    spark.sparkContext.setLogLevel("ERROR")
    make_input(spark, folder, size)
    results: list[Result] = []
    for work, starts in WORKS.items():
        answers = {
            system: answer(start, spark, folder) for system, start in zip(SYSTEMS, starts, strict=True)
        }
        if answers["pyspark"] != answers["headrace"]:
            raise SystemExit(f"{work}: the systems give different rows: {answers}")
        rates: dict[str, list[float]] = {system: [] for system in SYSTEMS}
        batches: dict[str, list[float]] = {system: [] for system in SYSTEMS}
        for turn in range(size.turns):
            pair = list(zip(SYSTEMS, starts, strict=True))
            for system, start in pair if turn % 2 else reversed(pair):
                millis = measure(start, spark, folder)[size.warm :]
                rates[system].append(size.rows * len(millis) / (sum(millis) / 1000))
                batches[system].append(statistics.median(millis))
        rows = size.rows * (size.files - size.warm)
        for system in SYSTEMS:
            results.append(_result(work, system, "throughput", median(rates[system]), "rows/s", rows))
            results.append(_result(work, system, "a batch", median(batches[system]), "ms", rows))
        results.append(_ratio(work, batches, rows))
        print(f"  {work}: {results[-1].value:.3f} x the time of hand-written PySpark", flush=True)
    return results


def make_input(spark: Any, folder: Path, size: Size) -> None:
    """Files of rows, the same for both systems: 1,000 keys, event times a little out of order."""
    rows = spark.range(size.files * size.rows).selectExpr(
        "id",
        f"concat('key-', CAST(id * 7919 % {KEYS} AS STRING)) AS key",
        "timestamp_micros(1767225600000000 + id * 1000 - CAST(pmod(hash(id), 2000000) AS BIGINT)) AS ts",
        "CAST(pmod(hash(id, 1), 1000) AS DOUBLE) AS value",
    )
    for number in range(size.files):
        part = rows.where(f"id >= {number * size.rows} AND id < {(number + 1) * size.rows}").coalesce(1)
        for format in ("parquet", "json"):
            part.write.format(format).save(str(folder / "staged" / format / str(number)))
            target = folder / format
            target.mkdir(exist_ok=True)
            (staged,) = (folder / "staged" / format / str(number)).glob(f"part-*.{format}")
            staged.rename(target / f"{number:03d}.{format}")
            os.utime(target / f"{number:03d}.{format}", (1_700_000_000 + number, 1_700_000_000 + number))


Sink = Callable[[Any, int], None]
Start = Callable[[Any, Path, Path, Sink], list[Any]]


def answer(start: Start, spark: Any, folder: Path) -> list[str]:
    """How many rows each batch gives, and a checksum of them; it also warms the work up."""
    found: list[str] = []

    def sink(frame: Any, _number: int) -> None:
        checked = frame.selectExpr("count(*) AS n", "sum(crc32(CAST(to_json(struct(*)) AS BINARY))) AS sum")
        found.append(str(checked.first()))

    _in_its_own_folder(start, spark, folder, sink)
    return found


def measure(start: Start, spark: Any, folder: Path) -> list[float]:
    """The milliseconds of each batch that had rows."""

    def sink(frame: Any, _number: int) -> None:
        frame.write.format("noop").mode("overwrite").save()

    reports = _in_its_own_folder(start, spark, folder, sink)
    return [report["durationMs"]["triggerExecution"] for report in reports if report["numInputRows"]]


def _in_its_own_folder(start: Start, spark: Any, folder: Path, sink: Sink) -> list[Any]:
    work = Path(tempfile.mkdtemp(dir=folder))
    try:
        return start(spark, folder, work / "checkpoint", sink)
    finally:
        shutil.rmtree(work)


def _by_hand(
    format: str, build: Callable[[Any], Any], output: str = "append", folder: str | None = None
) -> Start:
    """A hand-written query: read, build, write."""
    below = folder or format

    def start(spark: Any, folder: Path, checkpoint: Path, sink: Sink) -> list[Any]:
        schema = "value string" if format == "text" else SCHEMA
        reader = spark.readStream.schema(schema).format(format).option("maxFilesPerTrigger", 1)
        rows = reader.load(str(folder / below))
        query = (
            build(rows)
            .writeStream.foreachBatch(sink)
            .outputMode(output)
            .option("checkpointLocation", str(checkpoint))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        return _reports(query)

    return start


def _by_us(format: str, build: Callable[[Any], Any], output: str = "append", **reading: Any) -> Start:
    """The same by Headrace."""
    import headrace as hr
    from headrace.runtime.progress import Silent
    from headrace.spark import queries

    def start(_spark: Any, folder: Path, checkpoint: Path, sink: Sink) -> list[Any]:
        app = hr.App("bench")
        files = hr.files(folder / format, format, schema=SCHEMA, options={"maxFilesPerTrigger": "1"})
        build(app.read(files, **reading)).write(hr.foreach_batch(sink), output=output)
        started: list[Any] = []
        usual = queries.Starter.start

        def keep(self: Any, query: Any) -> Any:
            started.append(usual(self, query))
            return started[-1]

        queries.Starter.start = keep  # type: ignore[method-assign]
        try:
            app.run(mode="available-now", checkpoint=str(checkpoint), view=Silent())
        finally:
            queries.Starter.start = usual  # type: ignore[method-assign]
        return _reports(started[0])

    return start


def _reports(query: Any) -> list[Any]:
    import json

    return [json.loads(report.json()) for report in query._jsq.recentProgress()]


def _functions() -> Any:
    from pyspark.sql import functions

    return functions


def _parsed(rows: Any) -> Any:
    """JSON by hand: from_json on lines of text, rows that do not parse let go."""
    return rows.select(_functions().from_json("value", SCHEMA).alias("row")).select("row.*")


def _tumbling(rows: Any) -> Any:
    F = _functions()
    rows = rows.withWatermark("ts", "10 seconds")
    return rows.groupBy("key", F.window("ts", "1 minute")).agg(F.count("*").alias("n"))


def _works() -> dict[str, tuple[Start, Start]]:
    import headrace as hr

    picked = ("id", "key", "value * 2 AS twice")
    return {
        "map": (
            _by_hand("parquet", lambda rows: rows.where("value > 500").selectExpr(*picked)),
            _by_us("parquet", lambda rows: rows.where("value > 500").select(*picked)),
        ),
        "json map, rejects kept": (
            _by_hand(
                "text", lambda rows: _parsed(rows).where("value > 500").selectExpr(*picked), folder="json"
            ),
            _by_us("json", lambda rows: rows.where("value > 500").select(*picked)),
        ),
        "running count": (
            _by_hand(
                "parquet", lambda rows: rows.groupBy("key").agg(_functions().count("*").alias("n")), "update"
            ),
            _by_us("parquet", lambda rows: rows.key_by("key").agg(n="count(*)"), "update"),
        ),
        "tumbling count": (
            _by_hand("parquet", _tumbling, "update"),
            _by_us(
                "parquet",
                lambda rows: (
                    rows.key_by("key").window(hr.tumbling("1 minute"), late="drop").agg(n="count(*)")
                ),
                "update",
                event_time="ts",
                delay="10 seconds",
            ),
        ),
    }


WORKS = _works()


def _result(work: str, system: str, metric: str, value: float, unit: str, rows: int = 0) -> Result:
    return Result(SUITE, work, system, metric, value, unit, rows, KEYS if rows else 0)


def _ratio(work: str, found: dict[str, list[float]], rows: int = 0) -> Result:
    """Headrace's time over that of hand-written PySpark: the median over turns that ran side by side."""
    pairs = zip(found["headrace"], found["pyspark"], strict=True)
    return _result(
        work, "headrace / pyspark", "time", median([ours / theirs for ours, theirs in pairs]), "x", rows
    )
