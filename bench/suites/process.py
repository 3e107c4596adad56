"""`KeyedStream.process` beside stock `transformWithStateInPandas` doing the same work, in the same session.

The work keeps a count and the latest time of each key, and gives a row for each row. The input is Parquet,
read as a stream file by file, each file one batch; the sink adds up a checksum of the rows, by which the
answers are compared. The first batch of each run warms it up and does not count. The systems take turns;
numbers are medians of the batches' rates over all turns.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.report import Result, median

SUITE = "process"
SYSTEMS = ("transformWithStateInPandas", "headrace")
SCHEMA = "key string, ts timestamp, value double"
STATE = "n long, last timestamp"
RESULT = "key string, n long"


@dataclass(frozen=True)
class Size:
    """Batches of so many rows, the first of which does not count; how often each system runs."""

    batches: int
    rows: int
    turns: int


def run(*, quick: bool) -> list[Result]:
    from headrace.settings import Project
    from headrace.spark.session import session

    size = Size(2, 50_000, 1) if quick else Size(3, 500_000, 2)
    with tempfile.TemporaryDirectory(prefix="headrace-bench-") as folder:
        os.chdir(folder)
        spark = session("bench", Project(Path(folder)))
        spark.sparkContext.setLogLevel("ERROR")
        return [result for keys in (1_000, 100_000) for result in _work(spark, Path(folder), size, keys)]


def _work(spark: Any, folder: Path, size: Size, keys: int) -> list[Result]:
    source = _input(spark, folder, size, keys)
    rates: dict[str, list[float]] = {system: [] for system in SYSTEMS}
    answers: dict[str, str] = {}
    for turn in range(size.turns):
        for system in SYSTEMS if turn % 2 else reversed(SYSTEMS):
            found, batches = _measured(STARTS[system], spark, source)
            answers[system] = found
            rates[system] += [size.rows / (millis / 1000) for millis in batches[1:]]
    if len(set(answers.values())) > 1:
        raise SystemExit(f"the systems give different rows: {answers}")
    rows = size.rows * (size.batches - 1)
    results = [
        Result(SUITE, "running count", system, "throughput", median(rates[system]), "rows/s", rows, keys)
        for system in SYSTEMS
    ]
    ratio = results[1].value / results[0].value
    print(f"  {keys:,} keys: {ratio:.1f} x the rows a second", flush=True)
    return [*results, Result(SUITE, "running count", "headrace", "ratio", ratio, "x", rows, keys)]


def _input(spark: Any, folder: Path, size: Size, keys: int) -> str:
    """A file a batch; each key has as many rows in each as the others."""
    target = folder / str(keys)
    target.mkdir()
    for number in range(size.batches):
        first = number * size.rows
        rows = spark.range(first, first + size.rows).selectExpr(
            f"concat('key-', CAST(id * 7919 % {keys} AS STRING)) AS key",
            "timestamp_micros(1767225600000000 + id * 1000) AS ts",
            "CAST(pmod(hash(id, 1), 1000) AS DOUBLE) AS value",
        )
        rows.coalesce(1).write.parquet(str(folder / "staged" / str(keys) / str(number)))
        (staged,) = (folder / "staged" / str(keys) / str(number)).glob("part-*.parquet")
        staged.rename(target / f"{number:03d}.parquet")
        os.utime(target / f"{number:03d}.parquet", (1_700_000_000 + number, 1_700_000_000 + number))
    return str(target)


Sink = Callable[[Any, int], None]
Start = Callable[[Any, str, str, Sink], list[Any]]


def _measured(start: Start, spark: Any, source: str) -> tuple[str, list[float]]:
    """A checksum of each batch's rows, and the milliseconds of each batch."""
    work = Path(tempfile.mkdtemp())
    found: list[Any] = []

    def sink(frame: Any, _number: int) -> None:
        found.append(tuple(frame.selectExpr("count(*)", "sum(hash(key, n))").first()))

    try:
        reports = start(spark, source, str(work / "checkpoint"), sink)
        return str(found), [
            report["durationMs"]["triggerExecution"] for report in reports if report["numInputRows"]
        ]
    finally:
        shutil.rmtree(work)


# By hand.


def _stock(spark: Any, source: str, checkpoint: str, sink: Sink) -> list[Any]:
    reader = spark.readStream.schema(SCHEMA).format("parquet").option("maxFilesPerTrigger", 1)
    query = (
        reader.load(source)
        .groupBy("key")
        .transformWithStateInPandas(
            statefulProcessor=_processor(), outputStructType=RESULT, outputMode="Append", timeMode="None"
        )
        .writeStream.foreachBatch(sink)
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return _reports(query)


def _processor() -> Any:
    import pandas as pd
    from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

    class Counting(StatefulProcessor):  # type: ignore[misc]
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.state = handle.getValueState("state", STATE)

        def handleInputRows(  # noqa: N802
            self,
            key: Any,
            rows: Iterator[pd.DataFrame],
            timerValues: Any,  # noqa: N803, ARG002
        ) -> Any:
            n, last = self.state.get() or (0, None)
            for frame in rows:
                size = len(frame)
                yield pd.DataFrame({"key": [key[0]] * size, "n": range(n + 1, n + size + 1)})
                n += size
                newest = frame["ts"].max()
                last = newest if last is None else max(last, newest)
            self.state.update((n, last))

        def close(self) -> None:
            pass

    return Counting()


# By us.


def counting(row: Any, state: Any) -> Any:
    state.n = (state.n or 0) + 1
    state.last = row.ts if state.last is None else max(state.last, row.ts)
    yield row.key, state.n


def _ours(_spark: Any, source: str, checkpoint: str, sink: Sink) -> list[Any]:
    import headrace as hr
    from headrace.runtime.progress import Silent
    from headrace.spark import queries

    app = hr.App("bench")
    files = hr.files(source, "parquet", schema=SCHEMA, options={"maxFilesPerTrigger": "1"})
    counts = app.read(files).key_by("key").process(counting, RESULT, state=STATE)
    counts.write(hr.foreach_batch(sink))
    started: list[Any] = []
    usual = queries.Starter.start

    def keep(self: Any, query: Any) -> Any:
        started.append(usual(self, query))
        return started[-1]

    queries.Starter.start = keep  # type: ignore[method-assign]
    try:
        app.run(mode="available-now", checkpoint=checkpoint, view=Silent())
    finally:
        queries.Starter.start = usual  # type: ignore[method-assign]
    return _reports(started[0])


STARTS: dict[str, Start] = dict(zip(SYSTEMS, (_stock, _ours), strict=True))


def _reports(query: Any) -> list[Any]:
    import json

    return [json.loads(report.json()) for report in query._jsq.recentProgress()]
