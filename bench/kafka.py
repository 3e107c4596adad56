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


def fill(place: Place, rows: Path, members: int) -> dict[str, Any]:
    """A topic for each member, with the rows of its keys: JSON values, event times as timestamps."""
    from confluent_kafka import Producer

    name = f"rows-{uuid.uuid4().hex[:8]}"
    topics = [place.topic(f"{name}-{member}", 1) for member in range(members)]
    share = [0] * members
    producer = Producer(
        {"bootstrap.servers": place.servers, "linger.ms": 50, "queue.buffering.max.messages": 1_000_000}
    )
    for path in sorted(rows.glob("*.parquet")):
        table = pq.read_table(path)
        millis = [time // 1000 for time in table["ts"].cast("int64").to_pylist()]
        for key, time, value in zip(
            table["key"].to_pylist(), millis, table["value"].to_pylist(), strict=True
        ):
            member = key % members
            share[member] += 1
            while True:
                try:
                    producer.produce(topics[member], f'{{"value":{value}}}', key=str(key), timestamp=time)
                    break
                except BufferError:
                    producer.poll(0.1)
            if share[member] % 10_000 == 0:
                producer.poll(0)
    if producer.flush(120):
        raise RuntimeError("the topics were not filled in two minutes")
    return {"broker": place.servers, "topics": topics, "share": share, "group": name}
