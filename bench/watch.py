"""`python -m bench.watch JOB`: reads what a job writes to a topic, in a process of its own, and notes when.

JOB is JSON: servers, topic, field ("sent" or "ends": microseconds since 1970 in each value), out (a
file). It reads from the topic's end on until its standard input is closed and nothing more comes, then
writes two columns to the file with NumPy: when each value came, and what its field said.
"""

from __future__ import annotations

import json
import re
import select
import sys
import time
from typing import Any

import numpy as np
from confluent_kafka import OFFSET_END, Consumer, TopicPartition

POLL = 0.05
QUIET = 2.0
"""Seconds without a message after which it takes it that there are no more, once it has been told to end."""


def watch(job: dict[str, Any]) -> None:
    """Read until standard input ends, at most ten minutes."""
    consumer = Consumer(
        {
            "bootstrap.servers": job["servers"],
            "group.id": "bench-watch",
            "enable.auto.commit": False,
            "fetch.wait.max.ms": 100,
            "fetch.min.bytes": 1,
        }
    )
    partitions = consumer.list_topics(job["topic"], timeout=10).topics[job["topic"]].partitions
    consumer.assign([TopicPartition(job["topic"], number, OFFSET_END) for number in partitions])
    wanted = re.compile(rb'"%s":"?(\d+)' % job["field"].encode())
    came: list[int] = []
    said: list[int] = []
    deadline = time.monotonic() + 600
    quiet, over = 0.0, False
    while time.monotonic() < deadline and quiet < QUIET:
        message = consumer.poll(POLL)
        if message is None:
            over = over or bool(select.select([sys.stdin], [], [], 0)[0])
            quiet = quiet + POLL if over else 0.0
            continue
        now = time.time_ns() // 1000
        quiet = 0.0
        if message.error() is None and (found := wanted.search(message.value())):
            came.append(now)
            said.append(int(found[1]))
    consumer.close()
    np.save(job["out"], np.array([came, said], dtype=np.int64))


if __name__ == "__main__":
    watch(json.loads(sys.argv[1]))
