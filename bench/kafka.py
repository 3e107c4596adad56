"""A Kafka broker of the bench's own, and topics on it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq


@dataclass(frozen=True)
class Place:
    """The folder and the broker of one run."""

    folder: Path
    servers: str

    def topic(self, name: str, partitions: int) -> str:
        from headrace.broker.admin import create_topic

        create_topic(self.servers, name, partitions=partitions)
        return name


@contextmanager
def broker(folder: Path) -> Iterator[Place]:
    """An embedded broker for the time of a run."""
    from headrace.broker.server import Broker
    from headrace.settings import Project

    own = Broker(Project(folder))
    status = own.up()
    try:
        yield Place(folder, str(status.servers))
    finally:
        own.down()


def fill(place: Place, rows: Path, members: int, *, closing: bool) -> dict[str, Any]:
    """A topic for each member, with the rows of its keys: JSON values, event times as timestamps.

    `closing` adds a last message for each key, a minute later than all others.
    """
    name = f"rows-{uuid.uuid4().hex[:8]}"
    topics = [place.topic(f"{name}-{member}", 1) for member in range(members)]
    share = [0] * members
    writer = Writer(place.servers)
    last = 0
    known: set[int] = set()
    for path in sorted(rows.glob("*.parquet")):
        table = pq.read_table(path)
        keys, values = table["key"].to_pylist(), table["value"].to_pylist()
        millis = [time // 1000 for time in table["ts"].cast("int64").to_pylist()]
        last = max(last, *millis)
        known.update(keys)
        for key, time, value in zip(keys, millis, values, strict=True):
            share[key % members] += 1
            writer.write(topics[key % members], key, time, value)
    for key in known if closing else ():
        share[key % members] += 1
        writer.write(topics[key % members], key, last + 60_000, 0.0)
    writer.close()
    return {"broker": place.servers, "topics": topics, "share": share, "group": name}


class Writer:
    """Messages on their way to a broker."""

    def __init__(self, servers: str) -> None:
        from confluent_kafka import Producer

        settings = {"bootstrap.servers": servers, "linger.ms": 50, "queue.buffering.max.messages": 1_000_000}
        self.producer = Producer(settings)

    def write(self, topic: str, key: int, time: int, value: float) -> None:
        for _ in range(1000):
            try:
                self.producer.produce(topic, f'{{"value":{value}}}', key=str(key), timestamp=time)
                return
            except BufferError:
                self.producer.poll(0.1)
        raise RuntimeError("the broker takes no messages")

    def close(self) -> None:
        if self.producer.flush(120):
            raise RuntimeError("the topics were not filled in two minutes")
