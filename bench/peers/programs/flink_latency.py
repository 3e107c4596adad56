"""PyFlink's Table API, from topic to topic, until it is ended: a count of each key, or of windows."""

from pathlib import Path

from pyflink.common import Configuration
from pyflink.table import EnvironmentSettings, TableEnvironment
from shared import job

configuration = Configuration()
configuration.set_string("parallelism.default", str(job["cores"]))
configuration.set_string("taskmanager.numberOfTaskSlots", str(job["cores"]))
configuration.set_string(
    "pipeline.jars", ";".join(f"file://{jar}" for jar in Path(job["jars"]).glob("*kafka*.jar"))
)
configuration.set_string("execution.buffer-timeout.interval", job["buffer"])
configuration.set_string("execution.checkpointing.interval", "5 min")
configuration.set_string("table.local-time-zone", "UTC")
settings = EnvironmentSettings.new_instance().in_streaming_mode().with_configuration(configuration).build()
tables = TableEnvironment.create(settings)
kafka = f"'properties.bootstrap.servers' = '{job['servers']}'"
tables.execute_sql(f"""
    CREATE TEMPORARY TABLE events (k STRING, sent BIGINT, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts) WITH (
        'connector' = 'kafka', 'topic' = '{job["source"]}', {kafka}, 'scan.startup.mode' = 'latest-offset',
        'format' = 'json', 'json.timestamp-format.standard' = 'ISO-8601'
        {", 'scan.watermark.emit.strategy' = 'on-event'" if job["work"] == "close" else ""})""")
if job["work"] == "count":
    tables.execute_sql(f"""
        CREATE TEMPORARY TABLE counts (k STRING, n BIGINT, sent BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH (
            'connector' = 'upsert-kafka', 'topic' = '{job["target"]}', {kafka},
            'key.format' = 'json', 'value.format' = 'json')""")
    query = "INSERT INTO counts SELECT k, COUNT(*) AS n, MAX(sent) AS sent FROM events GROUP BY k"
else:
    tables.execute_sql(f"""
        CREATE TEMPORARY TABLE counts (k STRING, n BIGINT, ends BIGINT) WITH (
            'connector' = 'kafka', 'topic' = '{job["target"]}', {kafka}, 'format' = 'json')""")
    since = "CAST(TIMESTAMPDIFF(SECOND, TIMESTAMP '2026-01-01 00:00:00', window_end) AS BIGINT)"
    ends = f"1767225600000000 + 1000000 * {since} + 1000 * EXTRACT(MILLISECOND FROM window_end)"
    query = f"""
        INSERT INTO counts SELECT k, COUNT(*) AS n, {ends} AS ends
        FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '0.100' SECOND))
        GROUP BY k, window_start, window_end"""
tables.execute_sql(query).wait()
