"""How each peer is fed, and what it cannot do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet as pq

from bench.kafka import Place, fill
from bench.peers.environment import Peer
from bench.works import Work

CORES = 2
Feed = Callable[[Work, Path, Path, Path], dict[str, Any]]
"""Of a work, its rows, the small input and a folder: what the program is told of its input."""


@dataclass(frozen=True)
class System:
    """A peer, what it is fed with, and the kinds of work that it has no word for."""

    peer: Peer
    fed: str
    feed: Feed
    lacks: dict[str, str] = field(default_factory=dict)
    warms: bool = False
    """Whether its program works through the small input first, and is quick enough for the large one."""

    def run(
        self, work: Work, at: Path, warm: Path, cutoff: int, folder: Path, limit: float
    ) -> dict[str, Any]:
        """One work over one input: seconds, results and checksum."""
        job = {"work": work.spec(), "rows": str(at), "warm": str(warm), "cutoff": cutoff, "cores": CORES}
        return self.peer.run(job | self.feed(work, at, warm, folder), folder, limit)


def _nothing(_work: Work, _at: Path, _warm: Path, _folder: Path) -> dict[str, Any]:
    return {}


def _by_key(_work: Work, at: Path, warm: Path, folder: Path) -> dict[str, Any]:
    """One Parquet file a slot, of its own keys, in order of arrival.

    Flink's files have no order among each other: with more of them, rows would be late. It reads Parquet by
    Hadoop's classes, of which PySpark has a copy.
    """
    from headrace.supply.jars import pyspark_home

    own = sorted((FLINK.folder / "jars").glob("*.jar"))
    jars = [*map(str, own), *map(str, (pyspark_home() / "jars").glob("hadoop-client-*.jar"))]
    return {"classpath": jars, "rows": _halved(at, folder), "warm": _halved(warm, folder)}


def _halved(at: Path, folder: Path) -> str:
    target = folder / f"halved-{at.name}"
    if not target.is_dir():
        target.mkdir()
        table = pyarrow.concat_tables(pq.read_table(path) for path in sorted(at.glob("*.parquet")))
        for half in range(CORES):
            mine = pyarrow.compute.equal(pyarrow.compute.bit_wise_and(table["key"], CORES - 1), half)
            pq.write_table(table.filter(mine), target / f"{half}.parquet", use_dictionary=False)
    return str(target)


def _csv(_work: Work, at: Path, _warm: Path, folder: Path) -> dict[str, Any]:
    """The same rows as CSV, event times in milliseconds."""
    target = folder / f"csv-{at.name}"
    if not target.is_dir():
        target.mkdir()
        for path in sorted(at.glob("*.parquet")):
            table = pq.read_table(path)
            millis = pyarrow.compute.divide(table["ts"].cast("int64"), 1000)
            table = table.set_column(1, "ts", millis)
            pyarrow.csv.write_csv(table, target / f"{path.stem}.csv")
    return {"csv": str(target)}


FLINK = Peer(
    "pyflink",
    ("apache-flink==2.3.0",),
    "flink.py",
    jars=(
        "org.apache.flink:flink-sql-parquet:2.3.0",
        "org.apache.flink:flink-sql-connector-kafka:4.0.1-2.0",
    ),
)
BYTEWAX = Peer("bytewax", ("bytewax==0.21.1", "pyarrow==26.0.1"), "bytewax_flow.py")
PATHWAY = Peer("pathway", ("pathway==0.33.0",), "pathway_flow.py")
STATE = Peer("pyspark", ("pyspark[sql]==4.3.0", "pandas==2.3.3", "protobuf==6.33.5"), "spark_state.py")
QUIX = Peer("quix", ("quixstreams==3.28.1",), "quix_flow.py")


def systems(place: Place) -> dict[str, System]:
    """All peers, by name; those that need a broker get this one."""

    def topics(work: Work, at: Path, _warm: Path, _folder: Path) -> dict[str, Any]:
        # Quix Streams closes a trailing window when its own key goes on.
        return fill(place, at, CORES, closing=work.kind == "trailing")

    return PEERS | {"quix streams": System(QUIX, "two Kafka topics of JSON values", topics)}


PEERS = {
    "transformWithStateInPandas": System(
        STATE,
        "Parquet files, by Spark",
        _nothing,
        dict.fromkeys(("sliding 6x", "session", "trailing"), "not written: it would be a page of Python"),
    ),
    "pyflink": System(
        FLINK, "two Parquet files, of half of the keys each, by its own reader", _by_key, warms=True
    ),
    "bytewax": System(BYTEWAX, "Parquet files, by pyarrow", _nothing),
    "pathway": System(
        PATHWAY,
        "CSV files, by its own reader",
        _csv,
        {
            "count": "Pathway has no windows of so many rows",
            "trailing": "not compared: intervals_over, as tried, gave another answer",
        },
    ),
}
