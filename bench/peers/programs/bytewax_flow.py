"""Bytewax: a cluster of two processes on this machine; rows of Parquet files become Python tuples.

Each process reads all files, and keeps the rows of its own keys, so that the rows of a key stay in order.
"""

import json
import os
import socket
import subprocess
import sys
import time
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from heapq import heappop, heappush
from pathlib import Path

if "BENCH_JOB" in os.environ:
    sys.argv = [sys.argv[0], os.environ["BENCH_JOB"]]

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from bytewax import operators as op
from bytewax.dataflow import Dataflow
from bytewax.inputs import FixedPartitionedSource, StatefulSourcePartition
from bytewax.operators import StatefulBatchLogic
from bytewax.operators import windowing as win
from bytewax.outputs import DynamicSink, StatelessSinkPartition
from shared import Total, job, tell

DELAY = 5_000_000
BATCH = 2_000
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
work = job["work"]
timed = work["kind"] in ("aligned", "session")
began = []


class Files(StatefulSourcePartition):
    def __init__(self, part, parts):
        self.rows = self.read(part, parts)

    def read(self, part, parts):
        for path in sorted(Path(job["rows"]).glob("*.parquet")):
            table = pq.read_table(path)
            mine = pc.equal(pc.bit_wise_and(table["key"], parts - 1), part)
            table = table.filter(mine)
            for chunk in table.to_batches(max_chunksize=BATCH):
                times = chunk["ts"].cast(pa.timestamp("us") if timed else pa.int64()).to_pylist()
                if timed:
                    times = [time_.replace(tzinfo=UTC) for time_ in times]
                names = chunk["key"].cast("string").to_pylist()
                yield list(zip(names, zip(times, chunk["value"].to_pylist())))

    def next_batch(self):
        if not began:
            began.append(time.time())
        batch = next(self.rows, None)
        if batch is None:
            raise StopIteration
        return batch

    def snapshot(self):
        return None


class Source(FixedPartitionedSource):
    def list_parts(self):
        return [str(part) for part in range(job["cores"])]

    def build_part(self, step_id, name, resume):
        return Files(int(name), job["cores"])


class Sink(DynamicSink):
    def build(self, step_id, index, count):
        return Results(index)


class Results(StatelessSinkPartition):
    def __init__(self, index):
        self.index = index
        self.total = Total(job["cutoff"])

    def write_batch(self, items):
        add = self.total.add
        for key, (ends, n, total) in items:
            add(int(key), ends, n, total)

    def close(self):
        told = [began[0] if began else time.time(), time.time(), self.total.results, self.total.checksum]
        Path(f"bytewax-{self.index}.json").write_text(json.dumps(told))


@dataclass
class Trailing(StatefulBatchLogic):
    """Rows of one key: those that wait for its watermark, and those that windows to come may hold."""

    waiting: list = field(default_factory=list)
    kept: deque = field(default_factory=deque)
    sum: float = 0.0
    last: int = 0

    def on_batch(self, values):
        for time_, value in values:
            heappush(self.waiting, (time_, value))
            self.last = max(self.last, time_)
        return self.told(self.last - DELAY), StatefulBatchLogic.RETAIN

    def told(self, watermark):
        out = []
        while self.waiting and self.waiting[0][0] < watermark:
            at = self.waiting[0][0]
            same = 0
            while self.waiting and self.waiting[0][0] == at:
                row = heappop(self.waiting)
                self.kept.append(row)
                self.sum += row[1]
                same += 1
            while self.kept[0][0] <= at - work["size"]:
                self.sum -= self.kept.popleft()[1]
            out.extend([(at // 1000, len(self.kept), self.sum)] * same)
        return out

    def on_eof(self):
        return self.told(1 << 62), StatefulBatchLogic.DISCARD

    def snapshot(self):
        return None


def counted(state, row):
    n, total = state or (0, 0.0)
    n, total = n + 1, total + row[1]
    return ((n, total), ()) if n < work["n"] else (None, ((0, n, total),))


def folded(acc, row):
    return (acc[0] + 1, acc[1] + row[1], row[0] if acc[2] is None or row[0] > acc[2] else acc[2])


def merged(one, other):
    return (one[0] + other[0], one[1] + other[1], max(one[2], other[2]))


def windowed(flow):
    rows = op.input("in", flow, Source())
    if work["kind"] == "count":
        return op.stateful_flat_map("count", rows, counted)
    if work["kind"] == "trailing":
        return op.stateful_batch("trailing", rows, lambda state: Trailing())
    size, every = (timedelta(microseconds=work[name]) for name in ("size", "every"))
    clock = win.EventClock(lambda row: row[0], wait_for_system_duration=timedelta(microseconds=DELAY))
    if work["kind"] == "session":
        windower = win.SessionWindower(gap=size)
    elif size == every:
        windower = win.TumblingWindower(length=size, align_to=EPOCH)
    else:
        windower = win.SlidingWindower(length=size, offset=every, align_to=EPOCH)
    found = win.fold_window("fold", rows, clock, windower, lambda: (0, 0.0, None), folded, merged).down
    epoch, step, length = int(EPOCH.timestamp() * 1000), work["every"] // 1000, work["size"] // 1000
    if work["kind"] == "session":
        return op.map_value(
            "ends", found, lambda one: (round(one[1][2].timestamp() * 1000) + length, *one[1][:2])
        )
    return op.map_value("ends", found, lambda one: (epoch + one[0] * step + length, *one[1][:2]))


def main():
    ports = []
    for _ in range(job["cores"]):
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            ports.append(one.getsockname()[1])
    addresses = ";".join(f"127.0.0.1:{port}" for port in ports)
    here = dict(os.environ, BENCH_JOB=sys.argv[1], PYTHONPATH=str(Path(__file__).parent))
    command = [sys.executable, "-m", "bytewax.run", "bytewax_flow:flow", "-a", addresses]
    running = [subprocess.Popen([*command, "-i", str(i)], env=here) for i in range(job["cores"])]
    for one in running:
        one.wait()
    # A process whose neighbour ends first dies of it ("Send thread panic"), after its own work is done: what
    # each has written, and not how it ended, tells whether it is.
    told = [json.loads(Path(f"bytewax-{i}.json").read_text()) for i in range(job["cores"])]
    first, last = min(one[0] for one in told), max(one[1] for one in told)
    tell(last - first, sum(one[2] for one in told), sum(one[3] for one in told))


if __name__ == "__main__":
    main()
else:
    flow = Dataflow("bench")
    op.output("out", windowed(flow), Sink())
