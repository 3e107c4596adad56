"""One checkpoint for every streaming mode: a job goes on in real time where it stopped in micro-batch, and back."""

from __future__ import annotations

import uuid
from typing import Any

from shop import Shop, eventually

JOB = """
    import headrace as hr

    app = hr.App("modes", conf={{"spark.sql.shuffle.partitions": "2"}})
    rows = app.read(hr.kafka("{topic}-in", value=hr.json("k string, ts timestamp")), event_time="ts")
    counts = rows.key_by("k").window(hr.tumbling("10 seconds")).trigger(hr.each_row()).agg(n="count(*)")
    counts.write(hr.kafka("{topic}-out", key="k"), output="update")
"""


def test_state_and_offsets_go_from_mode_to_mode(shop: Shop) -> None:
    topic = f"m{uuid.uuid4().hex[:8]}"
    shop.write("job.py", JOB.format(topic=topic))
    for end in ("in", "out"):
        assert shop.command("topic", "create", f"{topic}-{end}").returncode == 0

    def feed(second: int) -> None:
        shop.produce(f"{topic}-in", [{"k": "a", "ts": f"2026-01-01T00:00:{second:02}Z"}])

    def told() -> list[Any]:
        return [row["n"] for row in shop.consume(f"{topic}-out")]

    feed(1)
    first = shop.command("run", "job.py", "--mode", "available-now")
    assert first.returncode == 0, first.stderr
    assert told() == [1]
    running = shop.start("run", "job.py", "--mode", "real-time", "--every", "5 seconds")
    try:
        feed(2)
        eventually(
            lambda: len(told()) >= 2 or running.process.poll() is not None, "the row in real time", 120
        )
        eventually(
            lambda: "batch" in running.said or running.process.poll() is not None, "the batch's end", 60
        )
    finally:
        assert running.stop() == 0, running.said
    assert told()[:2] == [1, 2], f"the window goes on counting\n{running.said}"
    feed(3)
    last = shop.command("run", "job.py", "--mode", "available-now")
    assert last.returncode == 0, last.stderr
    assert told()[-1] == 3
