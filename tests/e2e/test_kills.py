"""Jobs killed in the middle of a batch, as a machine that loses its power, and started again until they are done.

`make crash` kills at random, CRASHES times; the suite kills once at each step of a batch.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from shop import Shop, environment

from headrace.broker.admin import create_topic
from headrace.broker.records import Outgoing, produce
from reference.folding import folded
from reference.model import Reference
from reference.records import Row

JOB = """
    import headrace as hr

    left = {{"spark.local.dir": "{tmp}", "spark.driver.extraJavaOptions": "-Djava.io.tmpdir={tmp}"}}
    app = hr.App("kills", master="local[2]", conf=left)
    rows = app.read(
        hr.kafka("{topic}", value=hr.json("id string, n int, t timestamp"), options={{"maxOffsetsPerTrigger": "{take}"}}),
        event_time="t", delay="5 seconds", idle="1 hour", name="rows",
    )
    sums = (
        rows.key_by("id")
        .window(hr.sliding("20 seconds", every="10 seconds"), lateness="10 seconds")
        .trigger(hr.at_watermark(early=hr.after_count(3), late=hr.each_row()), hr.discarding)
        .agg(n="count(*)", s="sum(n)", lo="min(n)", hi="max(n)", got="collect_list(n)")
    )
    sums.write(hr.files("sums", "json"), name="sums")
    sums.late.write(hr.files("late", "json"), name="late")
"""
SPEC = {
    "window": {"kind": "aligned", "size": 20, "every": 10, "offset": 0},
    "on": "event",
    "lateness": 10,
    "late": "keep",
    "trigger": {
        "kind": "at_watermark",
        "early": {"kind": "after_count", "n": 3},
        "late": {"kind": "each_row"},
    },
    "accumulation": "discarding",
    "final_only": False,
    "pane": True,
    "op": False,
}
START = datetime(2026, 1, 1, tzinfo=UTC)
PARTITIONS = 2
FAR = 100_000
POINTS = ("route:5", "processed:3", "stored:3", "written:2")
LIMIT = 240.0


@dataclass
class Killing:
    """A job, its input, and what it must come to in the end."""

    shop: Shop
    broker: str
    topic: str
    count: int
    take: int
    random: random.Random
    deaths: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        create_topic(self.broker, self.topic, partitions=PARTITIONS)
        (self.shop.root / "tmp").mkdir()
        tmp = self.shop.root / "tmp"  # nobody tidies up behind a job that is killed
        self.shop.write("job.py", JOB.format(topic=self.topic, take=self.take, tmp=tmp))
        self.rows = list(self._rows())
        for partition in range(PARTITIONS):
            records = [
                Outgoing(value=json.dumps(_told(row)).encode(), partition=partition)
                for row in self.rows
                if row.partition == partition
            ]
            produce(self.broker, self.topic, records)

    def _rows(self) -> Iterator[Row]:
        """Rows a second or two apart, some of them late, some far too late; then the end of each partition."""
        times = [0] * PARTITIONS
        for number in range(self.count):
            at = self.random.randrange(PARTITIONS)
            times[at] += self.random.choice((0, 1, 2))
            behind = self.random.choice((0, 0, 0, 3, 15, 40))
            key = self.random.choice("abc")
            yield Row(at, max(0, times[at] - behind), key=key, value=number)
        for at in range(PARTITIONS):
            yield Row(at, FAR, key="end", value=0)

    def start(self, fault: str | None = None) -> subprocess.Popen[bytes]:
        """The job in a group of processes of its own, so that none of them outlives it."""
        more = {} if fault is None else {"HEADRACE_FAULT": fault}
        with (self.shop.root / "job.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "headrace.cli", "run", "job.py", "--mode", "available-now"],
                cwd=self.shop.root, env={**environment(), **more}, stdout=log, stderr=log,
                stdin=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip

    def die_at(self, fault: str) -> bool:
        """Run until the job dies there by its own hand; false if it never came there."""
        process = self.start(fault)
        try:
            code = process.wait(LIMIT)
        finally:
            _end(process)
        assert code in (0, -signal.SIGKILL), self.log
        self.deaths += [fault] if code else []
        return code != 0

    def die_after(self, seconds: float) -> bool:
        """Run for so long, and kill the job then; false if it was done before."""
        process = self.start()
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.deaths.append(f"{seconds:.1f} s")
            return True
        finally:
            _end(process)
        assert code == 0, self.log
        return False

    def finish(self) -> None:
        process = self.start()
        try:
            assert process.wait(LIMIT) == 0, self.log
        finally:
            _end(process)

    @property
    def log(self) -> str:
        return (self.shop.root / "job.log").read_text()[-4000:]

    def read(self, folder: str) -> list[dict[str, Any]]:
        """What a sink lists as written; what a killed batch left beside it does not count."""
        found: dict[str, dict[str, Any]] = {}
        for log in sorted((self.shop.root / folder / "_spark_metadata").iterdir()):
            if log.name.partition(".")[0].isdigit():
                entries = [json.loads(line) for line in log.read_text().splitlines()[1:]]
                found |= {entry["path"]: entry for entry in entries if entry["action"] == "add"}
        lines = [line for path in found for line in Path(path.removeprefix("file:")).read_text().splitlines()]
        return [json.loads(line) for line in lines]

    def check(self) -> None:
        """All that came out is what the model says, and each pane came once."""
        said = Reference(SPEC, delay=5, partitions=range(PARTITIONS)).run(self.rows)
        expected = {
            (key, window[0]): (total[0], total[1], total[2], total[3], total[4])
            for (key, window), (total,) in folded(said.panes, "discarding").items()
            if key != "end" and window is not None
        }
        panes = [row for row in self.read("sums") if row["id"] != "end"]
        assert _summed(panes) == expected, self.deaths
        indexes = Counter((row["id"], row["window"]["start"], row["pane"]["index"]) for row in panes)
        assert max(indexes.values()) == 1, f"a pane came twice, after {self.deaths}"
        late = Counter((row["id"], row["n"], _second(row["window"]["start"])) for row in self.read("late"))
        assert late == Counter((one.row.key, one.row.value, one.window[0]) for one in said.late if one.window)
        assert sum(late.values()) > 10 and any(row["pane"]["timing"] == "late" for row in panes)


def _summed(panes: Iterable[dict[str, Any]]) -> dict[tuple[str, int], tuple[Any, ...]]:
    groups: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for pane in panes:
        groups.setdefault((pane["id"], _second(pane["window"]["start"])), []).append(pane)
    return {
        at: (
            sum(pane["n"] for pane in group),
            sum(pane["s"] for pane in group),
            min(pane["lo"] for pane in group),
            max(pane["hi"] for pane in group),
            tuple(sorted(value for pane in group for value in pane["got"])),
        )
        for at, group in groups.items()
    }


def _second(text: str) -> int:
    return int((datetime.fromisoformat(text) - START).total_seconds())


def _told(row: Row) -> dict[str, Any]:
    return {"id": row.key, "n": row.value, "t": (START + timedelta(seconds=row.time)).isoformat()}


def _end(process: subprocess.Popen[bytes]) -> None:
    """Nothing of the job is left to write behind the back of the next one."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait(30)


@pytest.mark.timeout(900)
def test_a_job_that_dies_at_each_step_of_a_batch_loses_and_repeats_nothing(shop: Shop, broker: str) -> None:
    job = Killing(shop, broker, "kills-steps", count=400, take=70, random=random.Random(7))
    for point in POINTS:
        assert job.die_at(point), f"{point} was never reached"
    job.finish()
    job.check()


@pytest.mark.skipif("HEADRACE_CRASHES" not in os.environ, reason="long: make crash")
@pytest.mark.timeout(0)
def test_a_job_that_dies_at_any_moment_loses_and_repeats_nothing(shop: Shop, broker: str) -> None:
    """At named points and at moments, both drawn by a seed that is told."""
    wished = int(os.environ["HEADRACE_CRASHES"])
    seed = int(os.environ.get("HEADRACE_SEED", time.time_ns() % 1_000_000))
    chosen = random.Random(seed)
    sys.stdout.write(f"seed {seed}\n")
    done, turn = 0, 0
    while done < wished:
        turn += 1
        folder = Shop(shop.root / str(turn))
        folder.write("headrace.toml", (shop.root / "headrace.toml").read_text())
        topic = f"kills-random-{seed}-{turn}"
        job = Killing(folder, broker, topic, count=4000, take=250, random=random.Random(seed + turn))
        while len(job.deaths) < 8 and done + len(job.deaths) < wished:
            if chosen.random() < 0.5:
                point = chosen.choice(("route", "processed", "stored", "sink", "written"))
                more = job.die_at(f"{point}:{chosen.randint(1, 3)}")
            else:
                more = job.die_after(chosen.uniform(4, 20))
            if not more:
                break
        job.finish()
        job.check()
        done += max(len(job.deaths), 1)
        sys.stdout.write(f"{done} of {wished}: died at {', '.join(job.deaths)}\n")
