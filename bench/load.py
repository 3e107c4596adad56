"""`python -m bench.load JOB`: a bounded load on a Kafka topic, in a process of its own.

JOB is JSON: servers, topic, partitions, keys, rate (events a second), seconds. Each millisecond it sends
what is due, each event with the moment at which it was handed to the client (microseconds since 1970). At
the end it tells how many it sent, and how far behind its time it fell at worst.
"""

from __future__ import annotations

import json
import sys
import time
from datetime import UTC, datetime
from typing import Any

from confluent_kafka import Producer

TICK = 0.001


def load(job: dict[str, Any]) -> dict[str, Any]:
    """Send the events, and give how many and how late at worst (milliseconds)."""
    producer = Producer(
        {
            "bootstrap.servers": job["servers"],
            "linger.ms": 0,
            "acks": 1,
            "queue.buffering.max.messages": 1_000_000,
        }
    )
    total = int(job["rate"] * job["seconds"])
    began = time.perf_counter()
    sent, behind = 0, 0.0
    while sent < total:
        passed = time.perf_counter() - began
        due = min(total, int(passed * job["rate"]))
        if due > sent:
            behind = max(behind, passed - sent / job["rate"])
            stamp = datetime.fromtimestamp(time.time(), UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
            for at in range(sent, due):
                key = at % job["keys"]
                value = f'{{"k":"k{key}","sent":{time.time_ns() // 1000},"ts":"{stamp}"}}'
                producer.produce(job["topic"], value, partition=at % job["partitions"])
            sent = due
        producer.poll(0)
        rest = TICK - (time.perf_counter() - began) % TICK
        time.sleep(rest)
    left = producer.flush(30)
    return {"sent": sent - left, "behind": behind * 1000, "seconds": time.perf_counter() - began}


if __name__ == "__main__":
    print(json.dumps(load(json.loads(sys.argv[1]))))
