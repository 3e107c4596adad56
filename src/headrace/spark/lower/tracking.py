"""Where each row is from and when it happened, noted as it is read: what the kernel's operators go by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.connect.source import Reading, Topics
from headrace.plan.nodes import Read
from headrace.serde._serde import quoted
from headrace.spark.engine import as_column, jvm, kernel
from headrace.spark.lower.opening import MARKER, PARTITION, SEQUENCE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PARTS = ("source", "major", "name", "minor", "time", "punctuation", "arrival", "marker")
FILES = ("_metadata.file_modification_time", "_metadata.file_path", "_metadata.file_block_start")


def tracked(
    node: Read, number: int, reading: Reading, columns: dict[str, str], frame: DataFrame
) -> DataFrame:
    """The stream's columns (SQL by name), of rows that have been noted; a test's markers stay behind."""
    from pyspark.sql import functions as F

    source, major, name, minor = _piece(reading, frame)
    number_of = f"{number}L + {source}"
    if node.source.topics is Topics.SEVERAL and PARTITION not in frame.columns:
        number_of = f"xxhash64({number}L, topic, {source})"
    sql = {"source": number_of, "major": major, "name": name, "minor": minor}
    sql |= {"arrival": _arrival(reading, frame)}
    sql |= {"marker": f"unix_micros({MARKER})"} if MARKER in frame.columns else {}
    beside = {part: f"__headrace_at_{part}" for part, text in sql.items() if text is not None}
    shown = [f"{inner} AS {quoted(name)}" for name, inner in columns.items()]
    whole = frame.selectExpr(*shown, *(f"{sql[part]} AS {called}" for part, called in beside.items()))
    values = {part: F.col(called) for part, called in beside.items()}
    if node.event_time:
        values["time"] = F.unix_micros(F.col(quoted(node.event_time)))
    if node.watermark is not None:
        said = node.watermark.value
        values["punctuation"] = F.unix_micros(
            (F.expr(said) if isinstance(said, str) else said).cast("timestamp")
        )
    given = jvm().java.util.ArrayList()
    for part in PARTS:
        given.add(values[part]._jc if part in values else None)
    noted = as_column(kernel().Kernel.tracked(given, node.delay, node.watermark is not None))
    return whole.where(noted).select(*(F.col(quoted(name)) for name in columns))


def _piece(reading: Reading, frame: DataFrame) -> tuple[str, str | None, str | None, str | None]:
    """The source partition, and the order of its pieces, each read by a task: a number, a name, a number."""
    if PARTITION in frame.columns:
        return (PARTITION, None, None, SEQUENCE)
    if "offset" in reading.stamps:
        return ("`partition`", None, None, "`offset`")
    if reading.path is not None:
        modified, path, block = FILES
        return ("0L", f"unix_micros({modified})", path, block)
    return ("0L", None, None, "CAST(spark_partition_id() AS BIGINT)")


def _arrival(reading: Reading, frame: DataFrame) -> str:
    """When the broker or the source stamped the row; the batch's own time, where nobody did."""
    if "timestamp" in reading.stamps:
        return "unix_micros(`timestamp`)"
    if reading.path is not None and PARTITION not in frame.columns:
        return f"unix_micros({FILES[0]})"
    return "unix_micros(current_timestamp())"
