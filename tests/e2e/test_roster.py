"""Partitions of real topics, each with a watermark of its own: known before their first row, or joining later."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import NewPartitions
from pyspark.sql import SparkSession

import headrace as hr
from headrace.broker.admin import create_topic
from headrace.broker.client import admin_client
from headrace.broker.records import Outgoing, produce
from headrace.origin import Origin

Rows = list[tuple[str, int]]


class Counting:
    """A job that counts the rows of each minute, by id; run until it has read all that there is."""

    def __init__(self, folder: Path, broker: str, topic: str, **options: str) -> None:
        (folder / "headrace.toml").write_text(f'[kafka]\nservers = "{broker}"\n')
        self.broker = broker
        self.out: Rows = []
        self.late: list[str] = []
        app = hr.App("counting")
        app._origin = Origin(str(folder / "job.py"), 1)
        (folder / "job.py").touch()
        source = hr.kafka(topic, value=hr.json("id string, t timestamp"), options=options)
        rows = app.read(source, event_time="t", idle="1 hour", name="rows")
        counts = rows.key_by("id").window(hr.tumbling("1 minute")).agg(n="count(*)")
        counts.write(hr.foreach_batch(self._count), name="counts")
        counts.late.write(hr.foreach_batch(self._late), name="late")
        self.app = app

    def _count(self, frame: Any, _number: int) -> None:
        self.out += [(row.id, row.window.start.minute) for row in frame.collect()]

    def _late(self, frame: Any, _number: int) -> None:
        self.late += [row.id for row in frame.collect()]

    def feed(self, topic: str, partition: int, *rows: tuple[str, int]) -> None:
        records = [
            Outgoing(
                value=json.dumps({"id": id, "t": f"2026-01-01T00:{minute:02}:00Z"}).encode(),
                partition=partition,
            )
            for id, minute in rows
        ]
        produce(self.broker, topic, records)

    def run(self) -> Rows:
        """What a run of the job tells."""
        self.out.clear()
        self.app.run(mode="available-now")
        return sorted(self.out)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_empty_partition_holds_the_watermark_back_and_a_new_one_joins(
    spark: SparkSession, broker: str, folder: Path
) -> None:
    create_topic(broker, "roster", partitions=2)
    job = Counting(folder, broker, "roster")
    job.feed("roster", 0, ("a", 1), ("a", 5))
    assert job.run() == [], "partition 1 has said nothing yet, and is not idle"
    job.feed("roster", 1, ("b", 3))
    assert job.run() == [("a", 1)], "the watermark is that of partition 1, three minutes"

    admin = admin_client(broker)
    admin.create_partitions([NewPartitions("roster", 3)])["roster"].result()
    job.feed("roster", 0, ("a", 9))
    job.feed("roster", 1, ("b", 8))
    assert job.run() == [], "partition 2 is there, empty, and holds on to the watermark that it found"
    job.feed("roster", 2, ("c", 2), ("c", 4), ("c", 7))
    assert job.run() == [("a", 5), ("b", 3), ("c", 4)]
    assert job.late == ["c"], "its first row was behind the watermark when it joined"


def test_partitions_of_several_topics_are_told_apart(spark: SparkSession, broker: str, folder: Path) -> None:
    for name in ("apart-one", "apart-two"):
        create_topic(broker, name, partitions=1)
    job = Counting(folder, broker, "apart", subscribePattern="apart-.*")
    job.feed("apart-one", 0, ("a", 1), ("a", 20))
    assert job.run() == []
    job.feed("apart-two", 0, ("b", 2), ("b", 10))
    assert job.run() == [("a", 1), ("b", 2)]
    create_topic(broker, "apart-three", partitions=1)
    job.feed("apart-one", 0, ("a", 30))
    job.feed("apart-two", 0, ("b", 30))
    assert job.run() == [], "a topic that appears later is waited for"
    job.feed("apart-three", 0, ("c", 30))
    assert job.run() == [("a", 20), ("b", 10)]
    assert job.late == []
