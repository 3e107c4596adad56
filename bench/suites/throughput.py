"""Rows a second of windows, on the kernel and by its peers, over one input.

Windows tumbling, sliding (6 times overlapping), session, count(100) and trailing, with 1,000 and with
100,000 keys, each of which sends a row a second on average (half of the rows are of a tenth of the keys);
`count` and `sum` of each window. All systems have 2 cores. What runs in a JVM first works through a small
input that does not count; then the time over the large one is taken, from the first row to the last
result, without starting up. Every system's results are counted and summed into a checksum in the same
way, and compared with what NumPy works out: a system whose answer differs has no number. A system that
would take too long over the large input gets fewer rows of it, as the table says.

The kernel and PySpark run as available-now micro-batches of a million rows, state in RocksDB, and as
batches. PySpark is hand-written: its own window aggregation where it has one,
`transformWithStateInPandas` for tumbling and count windows. PyFlink's Table API reads Parquet (two files,
of half of the keys each, so that no row is late); Bytewax reads it through pyarrow, in two processes;
Pathway reads CSV by its own engine in static mode, with two threads; Quix Streams reads a topic of JSON
values from Kafka, in two processes.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.kafka import broker
from bench.peers.environment import PeerUnavailable
from bench.peers.systems import System, systems
from bench.report import Result
from bench.rows import Rows
from bench.spark_jobs import Job, by_hand, by_us, measured, over
from bench.works import WORKS, Answer, Work, answer, cutoff

SUITE = "throughput"
KEYS = (1_000, 100_000)
OURS = "headrace kernel"
OURS_BATCH = "headrace kernel, batch"
TOGETHER = 2
"""Files that one micro-batch reads, one a core."""


@dataclass(frozen=True)
class Size:
    """The large input, the small one, and the seconds that one measurement should take at most."""

    files: int
    rows: int
    small: int
    jvm: float
    python: float


# Eight million rows for what runs in a JVM, unless that takes over a minute; seconds for what runs in Python,
# where each work takes two starts beside it. All of it takes about half an hour.
FULL = Size(files=16, rows=500_000, small=25_000, jvm=60, python=6)
QUICK = Size(files=4, rows=50_000, small=2_500, jvm=5, python=3)


class Inputs:
    """The files of one number of keys; a part of them is the first so many."""

    def __init__(self, folder: Path, keys: int, size: Size) -> None:
        self.folder = folder / f"{keys}-keys"
        self.large = Rows(size.files * size.rows, keys, size.files)
        self.small = Rows(8 * size.small, keys, 8)
        self.places = {rows: rows.write(self.folder / name) for rows, name in self._named().items()}
        self.columns = {rows: rows.all() for rows in self.places}

    def _named(self) -> dict[Rows, str]:
        return {self.large: "large", self.small: "small"}

    def part(self, many: int) -> Part:
        """The first rows, whole files of the large input, or of the small one, where that is too much."""
        rows = self.large if many >= self.large.rows // self.large.files else self.small
        share = rows.rows // rows.files
        files = min(rows.files, max(1, many // share))
        place = self.folder / f"{share}-{files}"
        if not place.is_dir():
            place.mkdir()
            for path in sorted(self.places[rows].glob("*.parquet"))[:files]:
                os.link(path, place / path.name)
        columns = tuple(column[: share * files] for column in self.columns[rows])
        return Part(Rows(share * files, rows.keys, files), place, columns)


@dataclass(frozen=True)
class Part:
    """Rows, the folder that they lie in, and their columns."""

    rows: Rows
    place: Path
    columns: tuple[np.ndarray, ...]

    @property
    def cutoff(self) -> int:
        return cutoff(self.columns[1])

    def answer(self, work: Work) -> Answer:
        return answer(work, *self.columns)


def run(*, quick: bool) -> list[Result]:
    size = QUICK if quick else FULL
    results: list[Result] = []
    with tempfile.TemporaryDirectory(prefix="headrace-bench-") as name, broker(Path(name)) as place:
        folder = Path(name)
        spark = _session(folder)
        peers = systems(place)
        for keys in KEYS:
            inputs = Inputs(folder, keys, size)
            for work in WORKS:
                found = []
                for result in _systems(spark, peers, inputs, work, size):
                    print(f"  {keys:,} keys, {work.name}: {told(result)}", flush=True)
                    found.append(result)
                results += [*found, *_ratios(found)]
            shutil.rmtree(inputs.folder)
    return results


def told(result: Result) -> str:
    value = result.note if result.value is None else f"{result.value:,.2f} {result.unit}"
    return f"{result.system} {value}"


def _session(folder: Path) -> Any:
    from headrace.settings import Project
    from headrace.spark.session import session

    os.chdir(folder)
    spark = session("bench", Project(folder), conf={"spark.sql.streaming.numRecentProgressUpdates": "1000"})
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def jobs(work: Work) -> dict[str, Job]:
    """What runs in Spark, by the system's name."""
    found = {OURS: by_us(work)}
    if work.kind in ("aligned", "session"):
        found |= {"pyspark": by_hand(work)}
    if work.name == "tumbling":
        found |= {OURS_BATCH: by_us(work, "batch"), "pyspark, batch": by_hand(work, "batch")}
    if work.kind == "trailing":
        found |= {OURS_BATCH: by_us(work, "batch"), "pyspark, batch": over(work)}
    return found


def _systems(
    spark: Any, peers: dict[str, System], inputs: Inputs, work: Work, size: Size
) -> Iterator[Result]:
    for name, job in jobs(work).items():
        yield _in_spark(spark, inputs, work, name, job, size.jvm)
    for name, system in peers.items():
        limit = size.jvm if name == "pyflink" else size.python
        try:
            yield _elsewhere(inputs, work, name, system, limit)
        except PeerUnavailable as error:
            yield _result(inputs, work, name, None, note=str(error))


def _in_spark(spark: Any, inputs: Inputs, work: Work, name: str, job: Job, limit: float) -> Result:
    """A look at the small input, then at two files of the large one; then as much as there is time for."""
    first = inputs.part(inputs.small.rows)
    measured(job, spark, first.place, first.cutoff, TOGETHER)
    second = inputs.part(TOGETHER * inputs.large.rows // inputs.large.files)
    looked = measured(job, spark, second.place, second.cutoff, TOGETHER)
    part = inputs.part(int(second.rows.rows / looked.seconds * limit))
    taken = measured(job, spark, part.place, part.cutoff, TOGETHER)
    right = taken.answer == part.answer(work)
    return _result(inputs, work, name, part, taken.seconds, "" if right else "another answer")


def _elsewhere(inputs: Inputs, work: Work, name: str, system: System, limit: float) -> Result:
    for kind in (work.kind, work.name):
        if kind in system.lacks:
            raise PeerUnavailable(system.lacks[kind])
    small = inputs.part(inputs.small.rows)
    patience = 60 + 20 * limit

    def measure(part: Part) -> dict[str, Any]:
        return system.run(work, part.place, small.place, part.cutoff, inputs.folder, patience)

    if system.warms:
        part = inputs.part(inputs.large.rows)
    else:
        look = inputs.part(1)
        part = inputs.part(int(look.rows.rows / measure(look)["seconds"] * limit))
    found = measure(part)
    right = Answer(found["results"], found["checksum"]) == part.answer(work)
    return _result(inputs, work, name, part, found["seconds"], "" if right else "another answer")


def _result(
    inputs: Inputs, work: Work, system: str, part: Part | None, seconds: float = 1, note: str = ""
) -> Result:
    rows = part.rows.rows if part else 0
    value = rows / seconds if part and not note else None
    return Result(SUITE, work.name, system, "throughput", value, "rows/s", rows, inputs.large.keys, note)


def _ratios(found: list[Result]) -> Iterator[Result]:
    """The kernel's rows a second over each other system's; batch is compared with batch."""
    by = {result.system: result for result in found}
    for result in found:
        ours = by[OURS_BATCH if result.system.endswith(", batch") else OURS]
        if result is not ours and result.value and ours.value:
            yield Result(
                SUITE, result.work, f"{ours.system} / {result.system}", "ratio",
                ours.value / result.value, "x", min(ours.rows, result.rows), result.keys,
            )  # fmt: skip
