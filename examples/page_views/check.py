"""What came out, held against what was sent; counted here again, in plain Python."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

SIZE, EVERY = timedelta(seconds=10), timedelta(seconds=5)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Finding:
    """One thing that was checked: how many there should be, how many there are, and all that differs."""

    what: str
    expected: int
    found: int
    differences: list[str]


def sent_views(path: Path) -> list[dict[str, Any]]:
    """All that Kafka took from the generator."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [
        {**view, "event_time": datetime.fromisoformat(view["event_time"])} for view in map(json.loads, lines)
    ]


def windows(views: Iterable[dict[str, Any]]) -> Counter[tuple[str, datetime]]:
    """How many views each page has in each window, which goes by its start."""
    counts: Counter[tuple[str, datetime]] = Counter()
    for view in views:
        moment = view["event_time"]
        start = moment - (moment - EPOCH) % EVERY
        while start + SIZE > moment:
            counts[view["page"], start] += 1
            start -= EVERY
    return counts


def last_counts(rows: Iterable[dict[str, Any]]) -> dict[tuple[str, datetime], int]:
    """The last count that the app gave for each page and window."""
    return {(row["page"], row["window"]["start"]): row["views"] for row in rows}


def same_numbers(what: str, expected: Iterable[int], found: Iterable[int]) -> Finding:
    """Each number once on both sides: none lost, none doubled, none made up."""
    wanted, had = Counter(expected), Counter(found)
    lost, more = sorted((wanted - had).elements()), sorted((had - wanted).elements())
    told = [f"lost: number {seq}" for seq in lost] + [f"too many: number {seq}" for seq in more]
    return Finding(what, wanted.total(), had.total(), told)


def same_counts(what: str, expected: dict[Any, int], found: dict[Any, int]) -> Finding:
    """Each key has the same count on both sides."""
    keys: list[Hashable] = sorted({*expected, *found})
    told = [
        f"{key}: {expected.get(key)} were sent, {found.get(key)} were counted"
        for key in keys
        if expected.get(key) != found.get(key)
    ]
    return Finding(what, len(expected), len(found), told)
