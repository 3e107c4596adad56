"""Windows in real time, from topic to topic: what leaves is what the reference model says."""

from __future__ import annotations

import json
import random
import signal
import time
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from confluent_kafka import Producer
from shop import Shop, Started, eventually

from reference.model import Outcome, Reference
from reference.records import Event, Mark, Row

DAY = 1_700_006_400
DELAY = 3
END = 100_000
JOB = """
    import headrace as hr
    from pyspark.sql import functions as F

    app = hr.App("live")
    rows = app.read(
        hr.kafka("{topic}-in", value=hr.json("k string, v long, ts timestamp")),
        event_time="ts", delay="{delay} seconds",
    )
    keyed = rows.where("v >= 0").key_by("k")
    told = dict(n=F.count("*"), s=F.sum("v"), hi=F.max("v"))
    tumbling = keyed.window(hr.tumbling("10 seconds"), lateness="5 seconds")
    counts = tumbling.trigger(hr.at_watermark(early=hr.each_row(), late=hr.each_row())).agg(**told)
    counts.write(hr.kafka("{topic}-tumbling", key="k"), output="update")
    counts.late.write(hr.kafka("{topic}-late"))
    keyed.window(hr.sliding("20 seconds", every="5 seconds")).agg(**told).write(hr.kafka("{topic}-sliding"))
    keyed.window(hr.session("6 seconds")).agg(**told).write(hr.kafka("{topic}-session"))
    keyed.window(hr.trailing("10 seconds")).agg(**told).write(hr.kafka("{topic}-trailing"))
    keyed.window(hr.count(3)).agg(**told).write(hr.kafka("{topic}-count"))
    sums = keyed.window(hr.tumbling("5 seconds")).agg(n=F.count("*"), s=F.sum("v"), hi=F.max("v"))
    sums.key_by("k").window(hr.tumbling("20 seconds")).agg(
        n=F.sum("n"), s=F.sum("s"), hi=F.max("hi")
    ).write(hr.kafka("{topic}-chained"))
    rows.rejected.write(hr.kafka("{topic}-rejected"))

    if __name__ == "__main__":
        app.run()
"""
OUTPUTS = ("tumbling", "late", "sliding", "session", "trailing", "count", "chained", "rejected")


class Live:
    """A job in real time, and the rows that it is sent."""

    def __init__(self, shop: Shop, broker: str) -> None:
        self.shop = shop
        self.topic = f"t{uuid.uuid4().hex[:8]}"
        for name in OUTPUTS:
            assert shop.command("topic", "create", f"{self.topic}-{name}").returncode == 0
        assert shop.command("topic", "create", f"{self.topic}-in", "--partitions", "2").returncode == 0
        shop.write("live.py", JOB.format(topic=self.topic, delay=DELAY))
        self.producer = Producer({"bootstrap.servers": broker})

    def start(self) -> Started:
        running = self.shop.start("run", "live.py", "--mode", "real-time", "--every", "5 seconds")
        eventually(
            lambda: running.said.count("running") == 7 or running.process.poll() is not None, "the start", 90
        )
        return running

    def send(self, rows: list[Row]) -> None:
        for row in rows:
            at = datetime.fromtimestamp(DAY + row.time, UTC).isoformat()
            value = json.dumps({"k": row.key, "v": row.value, "ts": at})
            self.producer.produce(f"{self.topic}-in", value, partition=row.partition)
        self.producer.flush()

    def table(self, name: str) -> dict[Any, Any]:
        """The last that was said of each key's windows."""
        told = {}
        for row in self.shop.consume(f"{self.topic}-{name}"):
            window = tuple(seconds(row["window"][edge]) for edge in ("start", "end"))  # type: ignore[index]
            if window[1] < END:
                told[row["k"], *window] = (row["n"], row["s"], row["hi"])
        return told


def seconds(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp()) - DAY


def rows(seed: int, count: int, start: int = 0) -> list[Row]:
    """Rows of two source partitions, a key always in one of them; some come late, and some are filtered."""
    chance = random.Random(seed)
    made = []
    for at in range(start, start + count):
        partition = chance.randrange(2)
        behind = chance.choice((0, 0, 1, 2, 4, 7, 15))
        value = -1 if chance.random() < 0.1 else at
        made.append(Row(partition, max(0, at - behind), f"{partition}{chance.choice('ab')}", value))
    return made


def last(partition: int) -> Row:
    """A row so late in time that all before it is closed."""
    return Row(partition, END, f"{partition}a", 0)


def expected(window: dict[str, Any], events: list[Row], lateness: int = 0) -> Outcome:
    spec = {
        "window": window, "on": "event", "lateness": lateness, "late": "keep", "trigger": None,
        "accumulation": "accumulating", "final_only": False,
    }  # fmt: skip
    model = Reference(spec, delay=DELAY, idle=None, partitions=range(2))
    return model.run(_heard(events))


def _heard(events: list[Row]) -> Iterator[Event]:
    """A row that a filter leaves out still moves its source partition's watermark."""
    for event in events:
        yield event if (event.value or 0) >= 0 else Mark(event.partition, event.time - DELAY)


def final(outcome: Outcome) -> dict[Any, Any]:
    told = {}
    for pane in outcome.panes:
        assert pane.window is not None
        if pane.window[1] < END:
            told[pane.key, *pane.window] = (pane.n, pane.s, pane.hi)
    return told


def aligned(size: int, every: int) -> dict[str, Any]:
    return {"kind": "aligned", "size": size, "every": every, "offset": 0}


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory, broker: str) -> Iterator[tuple[Live, list[Row]]]:
    """Rows that came to a job in real time, which was killed among them, within a batch, and started again."""
    shop = Shop(tmp_path_factory.mktemp("live"))
    shop.write("headrace.toml", f'[kafka]\nservers = "{broker}"\n')
    live = Live(shop, broker)
    sent = [*rows(1, 150), *rows(2, 50, 140), last(0), last(1)]
    running = live.start()
    try:
        live.send(sent[:60])
        commits = shop.root / ".headrace/checkpoints/live" / f"{live.topic}-tumbling" / "commits"
        eventually(lambda: (commits / "1").exists(), "two batches", 90)
        live.producer.produce(f"{live.topic}-in", "no json", partition=0)
        live.send(sent[60:100])
        time.sleep(1)
        running.stop(signal.SIGKILL)
        running = live.start()
        live.send(sent[100:])
        whole = final(expected(aligned(20, 5), sent))
        eventually(lambda: live.table("sliding").keys() >= whole.keys(), "the last window", 60)
        time.sleep(1)
        yield live, sent
    finally:
        running.stop(signal.SIGINT)


def test_tumbling_windows_with_lateness(lived: tuple[Live, list[Row]]) -> None:
    live, sent = lived
    assert live.table("tumbling") == final(expected(aligned(10, 10), sent, lateness=5))


def test_late_rows_reach_a_topic_of_their_own(lived: tuple[Live, list[Row]]) -> None:
    live, sent = lived
    late = expected(aligned(10, 10), sent, lateness=5).late
    told = {
        (str(row["k"]), int(str(row["v"])), seconds(row["window"]["start"]), seconds(str(row["watermark"])))  # type: ignore[index]
        for row in live.shop.consume(f"{live.topic}-late")
    }
    assert told
    assert told == {(one.row.key, one.row.value, one.window[0], one.mark) for one in late}  # type: ignore[index]


@pytest.mark.parametrize(
    ("name", "window"),
    [
        ("sliding", aligned(20, 5)),
        ("session", {"kind": "session", "gap": 6}),
        ("trailing", {"kind": "trailing", "size": 10}),
        ("count", {"kind": "count", "n": 3, "every": 3}),
    ],
)
def test_final_tables(lived: tuple[Live, list[Row]], name: str, window: dict[str, Any]) -> None:
    live, sent = lived
    assert live.table(name) == final(expected(window, sent))


def test_windows_of_windows(lived: tuple[Live, list[Row]]) -> None:
    """Rows that are late for the first windows are in none of the second."""
    live, sent = lived
    first = final(expected(aligned(5, 5), sent))
    told: dict[Any, tuple[int, int, int]] = {}
    for (key, start, _end), (n, s, hi) in first.items():
        window = (key, start // 20 * 20, start // 20 * 20 + 20)
        before = told.get(window, (0, 0, 0))
        told[window] = (before[0] + n, before[1] + s, max(before[2], hi))
    assert live.table("chained") == told


def test_rejected_rows_reach_a_topic_of_their_own(lived: tuple[Live, list[Row]]) -> None:
    live, _sent = lived
    reasons = {row["reason"] for row in live.shop.consume(f"{live.topic}-rejected")}
    assert reasons == {"the value is not json of the schema"}
