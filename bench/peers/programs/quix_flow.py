"""Quix Streams: a Kafka topic of JSON values, half of the keys each in two of them, read by two processes."""

import json
import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

if "BENCH_JOB" in os.environ:
    sys.argv = [sys.argv[0], os.environ["BENCH_JOB"]]

from quixstreams import Application
from quixstreams.dataframe.windows import Count, Sum
from shared import Total, job, tell

work = job["work"]
DELAY = timedelta(seconds=5)


def windowed(frame):
    size, every = (timedelta(microseconds=work[name]) for name in ("size", "every"))
    if work["kind"] == "count":
        window = frame.tumbling_count_window(work["n"])
    elif work["kind"] == "trailing":
        window = frame.sliding_window(size, grace_ms=DELAY)
    elif work["kind"] == "session":
        window = frame.session_window(inactivity_gap_ms=size, grace_ms=DELAY)
    elif size == every:
        window = frame.tumbling_window(size, grace_ms=DELAY)
    else:
        window = frame.hopping_window(size, every, grace_ms=DELAY)
    made = window.agg(n=Count(), total=Sum("value"))
    if work["kind"] in ("count", "trailing"):
        return made.final()
    return made.final(closing_strategy="partition")


def member(index):
    total = Total(job["cutoff"])
    app = Application(
        broker_address=job["broker"],
        consumer_group=f"{job['group']}-{index}",
        auto_offset_reset="earliest",
        use_changelog_topics=False,
        state_dir=f"state-{job['group']}-{index}",
        commit_interval=30,
        loglevel="WARNING",
    )
    times = []

    def seen(value):
        if not times:
            times.append(time.time())
        times[1:] = [time.time()]
        return value

    def told(value, key, timestamp, headers):
        ends = 0 if work["kind"] == "count" else value["end"]
        total.add(int(key), ends, value["n"], value["total"])
        times[1:] = [time.time()]

    frame = app.dataframe(app.topic(job["topics"][index], value_deserializer="json", key_deserializer="str"))
    windowed(frame.apply(seen)).update(told, metadata=True)
    # It may see fewer messages than it counts to, and ends when none came for so many seconds.
    app.run(count=job["share"][index], timeout=5)
    Path(f"quix-{index}.json").write_text(json.dumps([*times, total.results, total.checksum]))


def main():
    here = dict(os.environ, BENCH_JOB=str(Path(sys.argv[1]).resolve()))
    running = [
        subprocess.Popen(
            [sys.executable, __file__, sys.argv[1], str(index)], env=here | {"BENCH_MEMBER": str(index)}
        )
        for index in range(job["cores"])
    ]
    ended = [one.wait() for one in running]
    if any(ended):
        raise SystemExit(1)
    told = [json.loads(Path(f"quix-{index}.json").read_text()) for index in range(job["cores"])]
    seconds = max(one[1] for one in told) - min(one[0] for one in told)
    tell(seconds, sum(one[2] for one in told), sum(one[3] for one in told))


if __name__ == "__main__":
    if "BENCH_MEMBER" in os.environ:
        member(int(os.environ["BENCH_MEMBER"]))
    else:
        main()
