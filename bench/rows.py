"""The input of the throughput and growth suites: Parquet files made by NumPy, the same for every system."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

SCHEMA = "key long, ts timestamp, value double"
EPOCH = 1_767_225_600_000_000
JITTER = 2_000_000
DELAY = 5_000_000
GRID = 10_000
"""Microseconds: rows come up to `JITTER` out of order, and windows wait `DELAY` for them; none is late. Times
lie on a grid, and lengths of sessions and trailing windows between it, so that no row lies on an edge."""


@dataclass(frozen=True)
class Rows:
    """So many rows of so many keys, of which each sends one row a second on average.

    Half of the rows are of a tenth of the keys, so that there are hot keys and cold ones.
    """

    rows: int
    keys: int
    files: int
    start: int = 0

    @property
    def step(self) -> int:
        """The microseconds of event time from one row to the next."""
        return max(1, 1_000_000 // self.keys)

    def columns(self, file: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Keys, event times (microseconds) and values of one file."""
        share = self.rows // self.files
        first = self.start + file * share
        dice = np.random.default_rng([self.keys, first])
        hot = max(1, self.keys // 10)
        keys = np.where(
            dice.random(share) < 0.5, dice.integers(0, hot, share), dice.integers(hot, self.keys, share)
        )
        at = np.arange(first, first + share, dtype=np.int64)
        times = (EPOCH + JITTER + at * self.step - dice.integers(0, JITTER, share)) // GRID * GRID
        return keys, times, dice.integers(0, 1000, share).astype(np.float64)

    def all(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Every file's columns, one behind the other."""
        parts = [self.columns(file) for file in range(self.files)]
        return tuple(np.concatenate(column) for column in zip(*parts, strict=True))  # type: ignore[return-value]

    def write(self, folder: Path) -> Path:
        """The files, in a folder of their own, their times in order."""
        folder.mkdir(parents=True)
        for file in range(self.files):
            keys, times, values = self.columns(file)
            write_file(folder, file, keys, times, values)
        return folder


def write_file(folder: Path, number: int, keys: np.ndarray, times: np.ndarray, values: np.ndarray) -> None:
    """A file of the input, older than the one with the next number."""
    columns = {"key": keys, "ts": pa.array(times, pa.timestamp("us", "UTC")), "value": values}
    path = folder / f"{number:03d}.parquet"
    pq.write_table(pa.table(columns), path, compression="snappy", use_dictionary=False)
    os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))
