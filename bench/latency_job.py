"""`python -m bench.latency_job JOB`: Headrace's job of the latency suite, until it is told to stop.

JOB is JSON: work ("count": a running count of each key; "close": counts of windows of 100 ms), mode,
source, target (topics), checkpoint.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import headrace as hr

VALUES = "k string, sent long, ts timestamp"
WINDOW = "100 milliseconds"


def app_of(job: dict[str, Any]) -> hr.App:
    app = hr.App("latency", checkpoint=job["checkpoint"])
    events = app.read(
        hr.kafka(job["source"], value=hr.json(VALUES), start="end", servers=job["servers"]), event_time="ts"
    )
    keyed = events.key_by("k")
    target = hr.kafka(job["target"], key="k", servers=job["servers"])
    if job["work"] == "count":
        counts = keyed.window(hr.all_time()).agg(n="count(*)", sent="max(sent)")
        counts.write(target, output="update")
    else:
        counts = keyed.window(hr.tumbling(WINDOW)).agg(n="count(*)")
        counts.select("k", "n", "unix_micros(window.end) AS ends").write(target)
    return app


if __name__ == "__main__":
    job = json.loads(sys.argv[1])
    app_of(job).run(mode=job["mode"])
