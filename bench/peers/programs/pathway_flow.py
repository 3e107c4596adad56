"""Pathway: CSV files read by its own engine in static mode, two threads, nothing done in Python a row."""

import os
import time

from shared import MODULUS, job, tell

os.environ["PATHWAY_THREADS"] = str(job["cores"])
os.environ["PATHWAY_TELEMETRY_SERVER"] = ""
import pathway as pw

work = job["work"]
MILLIS = {name: work[name] // 1000 for name in ("size", "every")}


class Row(pw.Schema):
    key: int
    ts: int
    value: float


def results(rows):
    made = {"n": pw.reducers.count(), "total": pw.reducers.sum(pw.this.value)}
    if work["kind"] == "session":
        window = pw.temporal.session(max_gap=MILLIS["size"])
    elif work["size"] == work["every"]:
        window = pw.temporal.tumbling(duration=MILLIS["size"], origin=0)
    else:
        window = pw.temporal.sliding(duration=MILLIS["size"], hop=MILLIS["every"], origin=0)
    per = rows.windowby(rows.ts, window=window, instance=rows.key)
    if work["kind"] == "session":
        ends = pw.reducers.max(pw.this.ts) + MILLIS["size"]
    else:
        ends = pw.reducers.any(pw.this._pw_window_end)
    return per.reduce(key=pw.this._pw_instance, ends=ends, **made)


rows = pw.io.csv.read(job["csv"], schema=Row, mode="static")
found = results(rows).filter(pw.this.ends <= job["cutoff"] // 1000)
mixed = (pw.this.key * 1_000_003 + pw.this.ends) % MODULUS * (pw.this.n * 31 + pw.cast(int, pw.this.total))
whole = found.select(mixed=mixed).reduce(results=pw.reducers.count(), checksum=pw.reducers.sum(pw.this.mixed))
told = {}


def change(key, row, time, is_addition):
    if is_addition:
        told.update(row)


pw.io.subscribe(whole, on_change=change)
began = time.perf_counter()
pw.run(monitoring_level=pw.MonitoringLevel.NONE)
tell(time.perf_counter() - began, told.get("results", 0), told.get("checksum", 0))
