"""How the kernel fares as rows, keys and time grow: its rate, the memory it holds, and what lateness frees.

`rows`: tumbling windows of 10 s over 10,000 keys, a million rows a batch, to 64 million: the rate over
each doubling, which should stay what it is. `keys`: one window that stays open, filled with ever more
keys, and filled again: rows a second, the heap held after a collection, and the checkpoint on the disk;
bytes a key should stay what they are. `lateness`: ever new keys, in windows of 10 s: the heap held as
they come, which should stay what it is with a lateness of 0 seconds, whose windows are freed, and grow
with one of an hour, whose windows are not.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.report import Result

SUITE = "growth"
SYSTEM = "headrace kernel"
HEAP = "10g"
FULL = {
    "files": 128,
    "rows": 500_000,
    "keys": [10_000, 100_000, 1_000_000, 5_000_000],
    "steps": 8,
    "fresh": 100_000,
}
QUICK = {"files": 16, "rows": 25_000, "keys": [10_000, 100_000], "steps": 4, "fresh": 10_000}


def run(*, quick: bool) -> list[Result]:
    with tempfile.TemporaryDirectory(prefix="headrace-bench-") as folder:
        job = (QUICK if quick else FULL) | {"folder": folder}
        here = str(Path(__file__).parents[2])
        done = subprocess.run(
            [sys.executable, "-m", "bench.growth_job", json.dumps(job)],
            env=os.environ | {"HEADRACE_DRIVER_MEMORY": HEAP, "PYTHONPATH": here},
            stdout=subprocess.PIPE, timeout=3600, check=True,
        )  # fmt: skip
    return list(results(json.loads(done.stdout.decode().strip().splitlines()[-1])))


def results(found: dict[str, Any]) -> Iterator[Result]:
    """The findings, as rows of the report."""
    for rows, rate in doublings(found["rows"]):
        yield Result(SUITE, "rows", SYSTEM, "throughput", rate, "rows/s", rows, 10_000)
    for one in found["keys"]:
        keys = int(one["keys"])
        yield Result(SUITE, "keys", SYSTEM, "throughput, new keys", one["filling"], "rows/s", keys, keys)
        yield Result(SUITE, "keys", SYSTEM, "throughput, known keys", one["again"], "rows/s", keys, keys)
        yield Result(SUITE, "keys", SYSTEM, "heap held", one["megabytes"], "MB", 2 * keys, keys)
        yield Result(
            SUITE, "keys", SYSTEM, "heap a key", one["megabytes"] * (1 << 20) / keys, "bytes", 2 * keys, keys
        )
        yield Result(SUITE, "keys", SYSTEM, "checkpoint on disk", one["disk"], "MB", 2 * keys, keys)
    for lateness, points in found["lateness"].items():
        for point in points:
            keys = int(point["keys"])
            yield Result(
                SUITE, f"lateness of {lateness}", SYSTEM, "heap held", point["megabytes"], "MB", keys, keys
            )


def doublings(batches: list[dict[str, float]]) -> Iterator[tuple[int, float]]:
    """The rate over the batches of each doubling of the rows, the first one over the first batch."""
    begin, mark = 0, batches[0]["rows"]
    for at, batch in enumerate(batches):
        if batch["rows"] >= mark:
            part = batches[begin : at + 1]
            share = batches[0]["rows"] * len(part)
            yield int(batch["rows"]), share / sum(one["seconds"] for one in part)
            begin, mark = at + 1, mark * 2
