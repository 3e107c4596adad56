"""PyFlink's Table API: SQL over Parquet files, two slots in one process."""

import time
from pathlib import Path

from pyflink.common import Configuration, RowKind
from pyflink.table import EnvironmentSettings, TableEnvironment
from shared import MODULUS, job, tell

work = job["work"]
configuration = Configuration()
configuration.set_string("parallelism.default", str(job["cores"]))
configuration.set_string("taskmanager.memory.process.size", "3g")
configuration.set_string("pipeline.jars", ";".join(f"file://{jar}" for jar in job["classpath"]))
configuration.set_string("table.local-time-zone", "UTC")
configuration.set_string("pipeline.object-reuse", "true")
# For the checksum alone: the sum over all results is told once a mini-batch, and not once a result.
configuration.set_string("table.exec.mini-batch.enabled", "true")
configuration.set_string("table.exec.mini-batch.allow-latency", "1 s")
configuration.set_string("table.exec.mini-batch.size", "50000")
tables = TableEnvironment.create(
    EnvironmentSettings.new_instance().in_streaming_mode().with_configuration(configuration).build()
)


def source(name, folder):
    tables.execute_sql(f"""
        CREATE TEMPORARY TABLE {name} (
            `key` BIGINT, ts BIGINT, `value` DOUBLE,
            t AS CAST(TO_TIMESTAMP_LTZ(ts / 1000, 3) AS TIMESTAMP(3)), at_once AS PROCTIME(),
            WATERMARK FOR t AS t - INTERVAL '5' SECOND
        ) WITH ('connector' = 'filesystem', 'path' = 'file://{folder}', 'format' = 'parquet')""")


def lasting(micros):
    return f"INTERVAL '{micros / 1e6:.3f}' SECOND(2, 3)"


def millis(column):
    since = f"CAST(TIMESTAMPDIFF(SECOND, TIMESTAMP '2026-01-01 00:00:00', {column}) AS BIGINT)"
    return f"1767225600000 + 1000 * {since} + EXTRACT(MILLISECOND FROM {column})"


def results(name):
    """SQL whose rows are a result each: key, ends (milliseconds), n, total."""
    made = "COUNT(*) AS n, SUM(`value`) AS total"
    if work["kind"] == "aligned":
        of = f"TABLE {name}, DESCRIPTOR(t)"
        window = (
            f"TUMBLE({of}, {lasting(work['size'])})"
            if work["size"] == work["every"]
            else f"HOP({of}, {lasting(work['every'])}, {lasting(work['size'])})"
        )
        ends = millis("window_end")
        by = "`key`, window_start, window_end"
        return f"SELECT `key`, {ends} AS ends, {made} FROM TABLE({window}) GROUP BY {by}"
    if work["kind"] == "session":
        window = f"SESSION(TABLE {name} PARTITION BY `key`, DESCRIPTOR(t), {lasting(work['size'])})"
        ends = millis("window_end")
        by = "`key`, window_start, window_end"
        return f"SELECT `key`, {ends} AS ends, {made} FROM TABLE({window}) GROUP BY {by}"
    if work["kind"] == "trailing":
        back = f"RANGE BETWEEN {lasting(work['size'])} PRECEDING AND CURRENT ROW"
        over = f"OVER (PARTITION BY `key` ORDER BY t {back})"
        made = f"COUNT(*) {over} AS n, SUM(`value`) {over} AS total"
        return f"SELECT `key`, {millis('t')} AS ends, {made} FROM {name}"
    from pyflink.table.expressions import col, row_interval
    from pyflink.table.window import Tumble

    counted = tables.from_path(name).window(
        Tumble.over(row_interval(work["n"])).on(col("at_once")).alias("w")
    )
    grouped = counted.group_by(col("key"), col("w")).select(
        col("key"), col("value").count.alias("n"), col("value").sum.alias("total")
    )
    tables.create_temporary_view(f"{name}_counted", grouped)
    return f"SELECT `key`, CAST(0 AS BIGINT) AS ends, n, total FROM {name}_counted"


def run(name, folder):
    source(name, folder)
    mixed = f"MOD(`key` * 1000003 + ends, {MODULUS}) * CAST(n * 31 + total AS BIGINT)"
    kept = "" if work["kind"] == "count" else f"WHERE ends <= {job['cutoff'] // 1000}"
    began = time.perf_counter()
    last = (0, 0)
    query = f"SELECT COUNT(*), SUM({mixed}) FROM ({results(name)}) {kept}"
    with tables.execute_sql(query).collect() as told:
        for row in told:
            if row.get_row_kind() in (RowKind.INSERT, RowKind.UPDATE_AFTER):
                last = tuple(row)
    return time.perf_counter() - began, last


run("warm", job["warm"])
seconds, (count, checksum) = run("measured", job["rows"])
tell(seconds, count, checksum or 0, jars=len(list(Path(job["jars"]).glob("*.jar"))))
