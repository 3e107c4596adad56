"""The bench's own logic: answers, inputs, tables, plots, pages. It measures nothing."""

from __future__ import annotations

import importlib
import json
import xml.etree.ElementTree as ET
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow")
bench = pytest.importorskip("bench", reason="the bench lies beside the source, and not in a wheel")

from bench import page, plot  # noqa: E402
from bench.report import Result, keep, number, read, table  # noqa: E402
from bench.rows import DELAY, EPOCH, JITTER, Rows  # noqa: E402
from bench.suites.growth import doublings  # noqa: E402
from bench.works import MIXED, WORKS, Answer, Work, answer, cutoff, mixed  # noqa: E402

SECOND = 1_000_000
INPUT = Rows(4_000, 20, 4)


def by_hand(
    work: Work, keys: list[int], times: list[int], values: list[int]
) -> set[tuple[int, int, int, int]]:
    """The same results row by row: (key, end in microseconds, n, total)."""
    of: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for key, time, value in zip(keys, times, values, strict=True):
        of[key].append((time, value))
    found = []
    for key, rows in of.items():
        if work.kind == "count":
            for at in range(0, len(rows) - work.n + 1, work.n):
                part = rows[at : at + work.n]
                found.append((key, 0, len(part), sum(value for _t, value in part)))
            continue
        rows = sorted(rows)
        if work.kind == "trailing":
            ends = [(time - work.size, time, time) for time, _v in rows]
            for after, until, end in ends:
                inside = [value for time, value in rows if after < time <= until]
                found.append((key, end, len(inside), sum(inside)))
        elif work.kind == "session":
            sessions: list[list[tuple[int, int]]] = []
            for row in rows:
                if sessions and row[0] <= sessions[-1][-1][0] + work.size:
                    sessions[-1].append(row)
                else:
                    sessions.append([row])
            found += [(key, one[-1][0] + work.size, len(one), sum(v for _t, v in one)) for one in sessions]
        else:
            starts = range(rows[0][0] // SECOND * SECOND - 2 * work.size, rows[-1][0] + 1, SECOND)
            for start in (one for one in starts if one % work.every == 0):
                inside = [value for time, value in rows if start <= time < start + work.size]
                if inside:
                    found.append((key, start + work.size, len(inside), sum(inside)))
    return found  # type: ignore[return-value]


@pytest.mark.parametrize("work", WORKS, ids=lambda work: work.name)
def test_numpy_gives_what_is_worked_out_row_by_row(work: Work) -> None:
    keys, times, values = INPUT.all()
    limit = cutoff(times)
    found = by_hand(work, keys.tolist(), times.tolist(), values.astype(int).tolist())
    kept = [one for one in found if one[1] <= limit]
    assert kept
    numbers = [mixed(key, end // 1000, n, total) for key, end, n, total in kept]
    assert answer(work, keys, times, values) == Answer(len(kept), sum(numbers))


def test_one_result_more_or_other_makes_another_answer() -> None:
    keys, times, values = INPUT.all()
    right = answer(WORKS[0], keys, times, values)
    other = values.copy()
    other[0] += 1
    assert answer(WORKS[0], keys, times, other) != right
    assert answer(WORKS[0], keys[1:], times[1:], values[1:]) != right


def test_a_file_is_the_same_each_time_and_no_row_of_it_is_late() -> None:
    first, again = INPUT.columns(1), INPUT.columns(1)
    assert all((one == other).all() for one, other in zip(first, again, strict=True))
    _keys, times, _values = INPUT.all()
    assert times.min() >= EPOCH
    assert (np.maximum.accumulate(times) - times).max() <= JITTER + INPUT.step < DELAY


def test_the_peers_make_the_same_number_of_a_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["shared"])
    program = Path(bench.__file__).parent / "peers" / "programs" / "shared.py"
    names: dict[str, object] = {}
    exec(compile(program.read_text(), str(program), "exec"), names)
    total = names["Total"](10_000_000)  # type: ignore[operator]
    total.add(7, 9_000, 3, 12.0)
    total.add(7, 11_000, 3, 12.0)  # behind the cutoff
    assert (total.results, total.checksum) == (1, mixed(7, 9_000, 3, 12))
    assert str(names["MODULUS"]) in MIXED


def test_results_are_kept_by_suite(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    one = Result("a", "work", "system", "metric", 1.5, "x")
    none = Result("b", "work", "system", "metric", None, "x", note="not installed")
    keep(path, "a", [one], quick=True)
    keep(path, "b", [none], quick=False)
    found = read(path)
    assert {suite: part["results"] for suite, part in found.items()} == {
        "a": [asdict(one)],
        "b": [asdict(none)],
    }
    assert json.loads(path.read_text())["a"]["quick"] is True
    assert "not installed" in table([one, none]) and number(None) == "–"


def test_the_page_tells_every_number_and_every_reason() -> None:
    rows = [
        asdict(
            Result("throughput", "tumbling", "headrace kernel", "throughput", 812_345.0, "rows/s", 8, 1000)
        ),
        asdict(
            Result("throughput", "tumbling", "pathway", "throughput", None, "rows/s", 0, 1000, "no | network")
        ),
    ]
    found = {
        "at": "now",
        "machine": {"cores": 2, "processor": "x", "system": "y", "python": "z"},
        "quick": False,
    }
    told = page.section("throughput", {**found, "results": rows})
    assert "812,345" in told and "no / network" in told and "benchmarks/throughput-1000-keys.svg" in told


@pytest.mark.parametrize("suite", page.SUITES)
def test_a_suite_says_what_it_does(suite: str) -> None:
    assert len(str(importlib.import_module(f"bench.suites.{suite}").__doc__).splitlines()) > 3


def test_plots_are_drawings_with_all_of_their_parts() -> None:
    drawn = plot.bars({"a": {"x": 10.0, "y": 1e6}, "b & c": {"x": 3.0}}, "rows/s")
    assert sum(1 for one in ET.fromstring(drawn).iter() if one.tag.endswith("rect")) == 3 + 2
    drawn = plot.lines({"a": [(1, 2), (10, 3)], "b": [(1, 0)]}, "keys", "MB")
    assert sum(1 for one in ET.fromstring(drawn).iter() if one.tag.endswith("circle")) == 3


def test_rates_are_told_over_each_doubling() -> None:
    batches = [{"rows": 10.0 * at, "seconds": 1.0 if at < 3 else 2.0} for at in range(1, 9)]
    assert list(doublings(batches)) == [(10, 10.0), (20, 10.0), (40, 5.0), (80, 5.0)]
