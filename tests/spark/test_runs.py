"""Runs as a user starts them: sinks that share a query, checkpoints that go on, DataFrames in and out."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import headrace as hr
from headrace.connect.sink import Table, Writing
from headrace.origin import Origin
from headrace.runtime.progress import Silent
from headrace.runtime.run import Summary
from headrace.spark.queries import write_files
from headrace.spark.session import STREAMING_CONF

SCHEMA = "id string, n int, t timestamp"


class Tables(Silent):
    """A view that keeps what console sinks show."""

    def __init__(self) -> None:
        self.shown: list[Table] = []

    def show(self, table: Table) -> None:
        self.shown.append(table)


def add(folder: Path, name: str, *numbers: int) -> None:
    lines = [json.dumps({"id": "ab"[n % 2], "n": n, "t": f"2026-01-01T00:00:{n:02}Z"}) for n in numbers]
    (folder / "in" / f"{name}.json").write_text("\n".join(lines) + "\n")


def new_app(folder: Path) -> hr.App:
    app = hr.App("job")
    app._origin = Origin(str(folder / "job.py"), 1)
    return app


def now(app: hr.App, folder: Path, view: Any = None) -> Summary:
    return app.run(mode="available-now", checkpoint=str(folder / "c"), view=view or Silent())


@pytest.fixture(autouse=True)
def five_rows(folder: Path) -> None:
    add(folder, "rows", 1, 2, 3, 4, 5)


def test_available_now_goes_on_where_it_stopped(spark: SparkSession, folder: Path) -> None:
    seen: list[tuple[int, list[int]]] = []
    counts = []
    summaries = []
    for step in ([], [6, 7], []):
        if step:
            add(folder, f"more-{step[0]}", *step)
        app = new_app(folder)
        rows = app.read(hr.files("in", "json", schema=SCHEMA), name="rows")

        def keep(frame: DataFrame, number: int) -> None:
            seen.append((number, sorted(row.n for row in frame.collect())))

        sums = hr.memory("sums")
        rows.write(hr.foreach_batch(keep), name="each")
        rows.key_by("id").agg(n="sum(n)").write(sums)
        summaries.append(now(app, folder))
        counts.append({row["id"]: row["n"] for row in sums.rows})
    assert seen == [(0, [1, 2, 3, 4, 5]), (1, [6, 7])]
    assert counts == [{"a": 6, "b": 9}, {"a": 12, "b": 16}, {}]
    assert [[query.rows_in for query in summary.queries] for summary in summaries] == [[5, 5], [2, 2], [0, 0]]
    assert (folder / "c" / "each" / "headrace.json").is_file()


def test_sinks_that_share_a_query_see_one_computation(spark: SparkSession, folder: Path) -> None:
    """A column of chance tells computations apart, and an accumulator counts them."""
    computed = spark.sparkContext.accumulator(0)

    def counted(row: Any) -> Any:
        computed.add(1)
        return {"id": row.id, "n": row.n}

    app, view = new_app(folder), Tables()
    numbers: list[int] = []
    rows = app.read(hr.files("in", "json", schema=SCHEMA), name="rows")
    drawn = rows.map(counted, "id string, n int").with_columns(chance="rand()")
    one, two = hr.memory("one"), hr.memory("two")
    drawn.write(one)
    drawn.where("n > 3").write(two)
    drawn.write(hr.files("out", "json"))
    drawn.select("id").write(hr.console(title="ids", rows=2))
    drawn.write(hr.foreach_batch(lambda frame, number: numbers.append(frame.count())), name="each")
    summary = now(app, folder, view)
    assert [query.name for query in summary.queries] == ["one"]
    assert computed.value == 5
    chances = {row["n"]: row["chance"] for row in one.rows}
    assert len(chances) == 5
    assert {row["n"]: row["chance"] for row in two.rows} == {n: chances[n] for n in (4, 5)}
    written = spark.read.schema("n int, chance double").json(str(folder / "out"))
    assert {row.n: row.chance for row in written.collect()} == chances
    assert numbers == [5]
    assert [(table.name, len(table.rows), table.more) for table in view.shown] == [("ids", 2, 3)]


def test_files_of_a_batch_are_listed_once(spark: SparkSession, folder: Path) -> None:
    writing = Writing("json", {"path": str(folder / "out")}, ("odd",))
    for number in (0, 1, 1, 0):
        write_files(spark.range(3).selectExpr("id", f"{number} AS batch", "id % 2 AS odd"), number, writing)
    found = spark.read.json(str(folder / "out")).groupBy("batch").count().collect()
    assert sorted((row.batch, row["count"]) for row in found) == [(0, 3), (1, 3)]
    assert {path.name for path in (folder / "out").iterdir()} == {"_spark_metadata", "odd=0", "odd=1"}


def test_a_files_sink_of_its_own_and_of_a_shared_query_go_on(spark: SparkSession, folder: Path) -> None:
    for step in ((), (6, 7)):
        if step:
            add(folder, "more", *step)
        app = new_app(folder)
        rows = app.read(hr.files("in", "json", schema=SCHEMA), event_time="t", name="rows")
        rows.where("n > 2").write(hr.files("shared", "parquet"))
        rows.select(value="concat(id, n)").write(hr.files("text", "text"))
        rows.window(hr.tumbling("2 seconds"), late="drop").agg(n="count(*)").select("n").write(
            hr.files("own", "csv")
        )
        now(app, folder)
    assert sorted(row.n for row in spark.read.parquet(str(folder / "shared")).collect()) == [3, 4, 5, 6, 7]
    assert spark.read.text(str(folder / "text")).count() == 7
    assert spark.read.csv(str(folder / "own")).count() == 3  # [0, 2), [2, 4) and [4, 6)


def test_the_memory_sink_in_each_output(spark: SparkSession, folder: Path) -> None:
    app = new_app(folder)
    rows = app.read(hr.files("in", "json", schema=SCHEMA, options={"maxFilesPerTrigger": "1"}), name="rows")
    add(folder, "second", 6)
    sums = rows.key_by("id").agg(n="sum(n)")
    changed, whole = hr.memory("changed"), hr.memory("whole")
    sums.write(changed)
    sums.write(whole, output="complete")
    now(app, folder)
    assert sorted((row["id"], row["n"]) for row in whole.rows) == [("a", 12), ("b", 9)]
    assert len(changed.rows) == 3


def test_a_dataframe_in_and_out(spark: SparkSession) -> None:
    frame = spark.range(5).withColumn("half", F.col("id") / 2)
    found = hr.stream(frame).where("id > 2").select("id", double=F.col("id") * 2).df
    assert not found.isStreaming
    assert sorted(tuple(row) for row in found.collect()) == [(3, 6), (4, 8)]
    streaming = spark.readStream.format("rate").load()
    through = hr.stream(streaming).where("value > 3").drop("timestamp").df
    assert through.isStreaming and through.columns == ["value"]


def test_a_dataframe_through_an_app(spark: SparkSession, folder: Path) -> None:
    app = new_app(folder)
    out = hr.memory("out")
    app.read(spark.range(4)).where("id > 1").write(out)
    app.run(mode="batch", view=Silent())
    assert sorted(row["id"] for row in out.rows) == [2, 3]


def test_a_batch_of_files_replaces_only_where_that_is_said(spark: SparkSession, folder: Path) -> None:
    for _ in range(2):
        app = new_app(folder)
        rows = app.read(hr.files("in", "json", schema=SCHEMA))
        rows.select("n").write(hr.files("out", "json", overwrite=True))
        app.run(mode="batch", view=Silent())
    assert spark.read.json(str(folder / "out")).count() == 5


def test_validate_and_spark_plans_write_nothing(spark: SparkSession, folder: Path) -> None:
    app = new_app(folder)
    app.read(hr.files("in", "json", schema=SCHEMA)).where("n > 1").write(hr.files("out", "json"))
    assert [query.name for query in app.validate().queries] == ["out"]
    assert "Filter" in app.spark_plans()["out"]
    assert sorted(path.name for path in folder.iterdir()) == ["headrace.toml", "in", "job.py"]


COLUMNS = """
import headrace as hr
from pyspark.sql import functions as F
app = hr.App("early")
out = hr.memory("out")
n = F.col("n") + F.lit(1)
rows = app.read(hr.files("in", "json", schema="id string, n int"))
rows.where(n > 4).select("id", m=F.when(n > 5, "big").otherwise(F.upper(F.lit("small")))).write(out)
from pyspark.sql import SparkSession
from pyspark import SparkContext
assert SparkContext._gateway is not None
app.run(mode="batch")
print(sorted((row["id"], row["m"]) for row in out.rows))
assert SparkSession.builder.getOrCreate() is SparkSession.getActiveSession()
"""


def test_columns_before_there_is_a_session(folder: Path) -> None:
    (folder / "job.py").write_text(COLUMNS)
    done = subprocess.run([sys.executable, "job.py"], capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[('a', 'SMALL'), ('b', 'big')]"


def test_spark_knows_every_setting_that_jobs_are_run_with(spark: SparkSession) -> None:
    """A name that is spelt otherwise is taken without a word, and does nothing."""
    jvm: Any = spark._jvm
    entries = jvm.org.apache.spark.internal.config.ConfigEntry
    strays = [key for key in STREAMING_CONF if entries.findEntry(key) is None]
    assert strays == ["spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"], (
        "RocksDB's own are read by their prefix"
    )
