"""PySpark's `transformWithStateInPandas`, with processors as a user writes them: count and tumbling."""

import json
import os
import sys
import tempfile

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from shared import MODULUS, job, tell

work = job["work"]
NAMES = ["key", "ends", "n", "total"]


class Counted(StatefulProcessor):
    """Windows of so many rows of a key."""

    def __init__(self, many):
        self.many = many

    def init(self, handle):
        self.state = handle.getValueState("window", "n long, total double")

    def handleInputRows(self, key, rows, timerValues):
        n, total = self.state.get() if self.state.exists() else (0, 0.0)
        told = []
        for frame in rows:
            for value in frame["value"].tolist():
                n, total = n + 1, total + value
                if n == self.many:
                    told.append((key[0], 0, n, total))
                    n, total = 0, 0.0
        self.state.update((n, total))
        yield pd.DataFrame(told, columns=["key", "ends", "n", "total"])

    def close(self):
        pass


class Tumbled(StatefulProcessor):
    """Tumbling windows of a key, each with a timer at its end."""

    def __init__(self, size):
        self.size = size

    def init(self, handle):
        self.handle = handle
        self.windows = handle.getMapState("windows", "ends long", "n long, total double")

    def handleInputRows(self, key, rows, timerValues):
        for frame in rows:
            millis = frame["ts"].astype("datetime64[ms]").astype("int64")
            ends = millis // self.size * self.size + self.size
            for end, n, total in frame["value"].groupby(ends).agg(["count", "sum"]).itertuples():
                at = (int(end),)
                if self.windows.containsKey(at):
                    before = self.windows.getValue(at)
                else:
                    self.handle.registerTimer(at[0])
                    before = (0, 0.0)
                self.windows.updateValue(at, (before[0] + int(n), before[1] + float(total)))
        yield pd.DataFrame([], columns=["key", "ends", "n", "total"])

    def handleExpiredTimer(self, key, timerValues, expiredTimerInfo):
        ends = expiredTimerInfo.getExpiryTimeInMs()
        n, total = self.windows.getValue((ends,))
        self.windows.removeKey((ends,))
        yield pd.DataFrame([(key[0], ends, n, total)], columns=["key", "ends", "n", "total"])

    def close(self):
        pass


def run(spark, folder):
    """The seconds of its batches, its results and their checksum."""
    found = {"results": 0, "checksum": 0}
    mixed = f"(key * 1000003 + ends) % {MODULUS} * CAST(n * 31 + total AS BIGINT)"

    def sink(frame, _number):
        kept = frame.where(f"ends <= {job['cutoff'] // 1000}")
        row = kept.selectExpr("count(*) AS n", f"coalesce(sum({mixed}), 0) AS sum").first()
        found["results"] += row["n"]
        found["checksum"] += row["sum"]

    rows = spark.readStream.schema("key long, ts timestamp, value double").option("maxFilesPerTrigger", 2)
    counts = work["kind"] == "count"
    processor = Counted(work["n"]) if counts else Tumbled(work["size"] // 1000)
    made = (
        rows.parquet(folder)
        .withWatermark("ts", "5 seconds")
        .groupBy("key")
        .transformWithStateInPandas(
            processor,
            "key long, ends long, n long, total double",
            "append",
            "none" if counts else "eventTime",
        )
    )
    writer = made.writeStream.foreachBatch(sink).option("checkpointLocation", tempfile.mkdtemp(dir="."))
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    reports = [json.loads(report.json()) for report in query._jsq.recentProgress()]
    return sum(report["durationMs"]["triggerExecution"] for report in reports) / 1000, found


os.environ["PYSPARK_PYTHON"] = sys.executable
store = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
builder = SparkSession.builder.master(f"local[{job['cores']}]").config("spark.ui.enabled", "false")
builder = builder.config("spark.sql.shuffle.partitions", job["cores"]).config("spark.driver.memory", "2g")
builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
builder = builder.config("spark.sql.session.timeZone", "UTC")
spark = builder.config("spark.sql.streaming.stateStore.providerClass", store).getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
seconds, found = run(spark, job["rows"])
tell(seconds, **found)
