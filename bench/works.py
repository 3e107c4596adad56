"""The works of the throughput suite, and the answer that each must give, worked out by NumPy alone."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from bench.rows import DELAY, JITTER

SECOND = 1_000_000
MODULUS = 65_521


@dataclass(frozen=True)
class Work:
    """Windows of one kind; lengths are microseconds, `n` is rows."""

    name: str
    kind: str
    size: int = 0
    every: int = 0
    n: int = 0

    def spec(self) -> dict[str, Any]:
        """The work as plain data, for programs that run elsewhere."""
        return asdict(self)


WORKS = (
    Work("tumbling", "aligned", 10 * SECOND, 10 * SECOND),
    Work("sliding 6x", "aligned", 60 * SECOND, 10 * SECOND),
    Work("session", "session", 3_005_000),
    Work("count(100)", "count", n=100),
    Work("trailing", "trailing", 5_005_000),
)


@dataclass(frozen=True)
class Answer:
    """How many results there are, and the sum of a number made of each."""

    results: int
    checksum: int


MIXED = f"CAST((key * 1000003 + ends) % {MODULUS} AS BIGINT) * CAST(n * 31 + total AS BIGINT)"
"""The number made of a result, in SQL: of its key, its window's end (milliseconds), its count and its sum."""


def mixed(key: Any, ends: Any, n: Any, total: Any) -> Any:
    """The same number in Python, of integers or of arrays."""
    return (key * 1_000_003 + ends) % MODULUS * (n * 31 + total)


def cutoff(times: np.ndarray) -> int:
    """Results of windows that end later than this are left out of the answer: not all systems give them.

    It lies before the watermark behind the last row by as much as a part of the keys may be behind others.
    """
    return int(times.max()) - DELAY - JITTER


def answer(work: Work, keys: np.ndarray, times: np.ndarray, values: np.ndarray) -> Answer:
    """What the work gives for these rows, of windows that end by the cutoff."""
    key, ends, n, total = KINDS[work.kind](work, keys, times, values.astype(np.int64))
    kept = ends <= cutoff(times)
    if work.kind == "count":  # such a window has no end in event time
        kept, ends = np.full(len(ends), True), np.zeros_like(ends)
    key, ends, n, total = key[kept], ends[kept] // 1000, n[kept], total[kept]
    return Answer(len(key), int(mixed(key, ends, n, total).sum()))


Results = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _summed(order: np.ndarray, first: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many rows lie from each first one to the next, and the sum of their values."""
    n = np.diff(np.append(first, len(order)))
    return n, np.add.reduceat(values[order], first)


def _firsts(*sorted_columns: np.ndarray) -> np.ndarray:
    """Where some column changes."""
    changes = np.zeros(len(sorted_columns[0]), dtype=bool)
    changes[0] = True
    for column in sorted_columns:
        changes[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(changes)


def _aligned(work: Work, keys: np.ndarray, times: np.ndarray, values: np.ndarray) -> Results:
    parts = []
    for back in range(work.size // work.every):
        start = times // work.every * work.every - back * work.every
        parts.append((keys, start, values))
    key, start, value = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((start, key))
    first = _firsts(key[order], start[order])
    n, total = _summed(order, first, value)
    return key[order][first], start[order][first] + work.size, n, total


def _session(work: Work, keys: np.ndarray, times: np.ndarray, values: np.ndarray) -> Results:
    order = np.lexsort((times, keys))
    key, time = keys[order], times[order]
    begins = np.ones(len(order), dtype=bool)
    # Sessions that touch are one, so only a silence of more than the gap parts them.
    begins[1:] = (key[1:] != key[:-1]) | (time[1:] - time[:-1] > work.size)
    first = np.flatnonzero(begins)
    n, total = _summed(order, first, values)
    last = np.append(first[1:], len(order)) - 1
    return key[first], time[last] + work.size, n, total


def _count(work: Work, keys: np.ndarray, times: np.ndarray, values: np.ndarray) -> Results:
    order = np.argsort(keys, kind="stable")
    key = keys[order]
    start = _firsts(key)
    rank = np.arange(len(order)) - np.repeat(start, np.diff(np.append(start, len(order))))
    first = np.flatnonzero(rank % work.n == 0)
    n, total = _summed(order, first, values)
    whole = n == work.n
    return key[first][whole], times[order][first][whole], n[whole], total[whole]


def _trailing(work: Work, keys: np.ndarray, times: np.ndarray, values: np.ndarray) -> Results:
    order = np.lexsort((times, keys))
    key, time = keys[order], times[order]
    # One number that grows with key and time, so that one search finds where each window begins and ends.
    place = key * (time.max() - time.min() + 2 * work.size) + (time - time.min())
    begin = np.searchsorted(place, place - work.size, side="right")
    end = np.searchsorted(place, place, side="right")
    sums = np.concatenate(([0], np.cumsum(values[order])))
    return key, time, end - begin, sums[end] - sums[begin]


KINDS = {"aligned": _aligned, "session": _session, "count": _count, "trailing": _trailing}
