"""Rows that leave a task together, where nobody can see them apart: the same results, however they came."""

from __future__ import annotations

import random
from typing import Any

import pytest

import headrace as hr
from headrace.testing import At, TestDriver

EXACT = {"n": "count(*)", "s": "sum(v)", "hi": "max(v)", "mean": "avg(v)", "odd": "count_if(v % 2 = 1)"}
SOME = 120


def rows(seed: int, count: int = SOME) -> list[At]:
    """Rows of two source partitions, out of order, a few of them too late for one or for all of their windows."""
    chance = random.Random(seed)
    made = []
    for at in range(count):
        second = max(0, at // 2 - chance.choice((0, 0, 0, 1, 3, 9, 25)))
        row = {"k": chance.choice("abc"), "v": at, "t": f"2026-01-01T00:{second // 60:02}:{second % 60:02}Z"}
        made.append(At(chance.randrange(2), row))
    return made


def told(window: Any, lateness: str, aggregates: dict[str, str], cuts: list[int], *, late: bool) -> Any:
    """The final table; `late`: the late rows are read too, for which rows have to leave one by one."""
    app = hr.App("job")
    source = hr.kafka("in", value=hr.json("k string, v int, t timestamp"))
    keyed = app.read(source, event_time="t", delay="2 seconds").key_by("k")
    result = keyed.window(window, lateness=lateness).agg(**aggregates)
    result.write(hr.memory("out"), output="append")
    if late:
        result.late.write(hr.memory("late"))
    given = rows(3)
    with TestDriver(app) as driver:
        for start, end in zip([0, *cuts], [*cuts, len(given)], strict=True):
            driver.feed("in", given[start:end])
        driver.drain()
        return sorted(map(str, driver.table("out")))


@pytest.mark.parametrize(
    ("window", "lateness"),
    [
        (hr.tumbling("10 seconds"), "0 seconds"),
        (hr.tumbling("10 seconds", offset="3 seconds"), "4 seconds"),
        (hr.sliding("20 seconds", every="5 seconds"), "0 seconds"),
        (hr.sliding("15 seconds", every="10 seconds"), "3 seconds"),
    ],
    ids=str,
)
def test_together_or_one_by_one_the_results_are_the_same(window: Any, lateness: str) -> None:
    apart = told(window, lateness, EXACT, [], late=True)
    assert apart
    for cuts in ([], [1, 40, 41, 90]):
        assert told(window, lateness, EXACT, cuts, late=False) == apart


def test_sums_of_doubles_are_the_same_to_the_last_bit() -> None:
    """What is added to what first shows in them, so that such rows never leave together."""
    sums = {"s": "sum(v / 7.1)", "mean": "avg(sqrt(v))"}
    window = hr.tumbling("20 seconds")
    apart = told(window, "0 seconds", sums, [], late=True)
    assert told(window, "0 seconds", sums, [], late=False) == apart
