"""`python -m bench.page`: docs/benchmarks.md and its plots, from bench/results.json and the suites' words."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from bench.plot import bars, lines
from bench.report import number, read

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
SUITES = ("throughput", "latency", "growth", "process", "overhead")
Row = dict[str, Any]


def main() -> int:
    found = read(HERE / "results.json")
    if not found:
        print("nothing has been measured: make bench")
        return 1
    plots = DOCS / "benchmarks"
    plots.mkdir(exist_ok=True)
    parts = [HEAD]
    for suite in (name for name in SUITES if name in found):
        parts.append(section(suite, found[suite]))
        for name, svg in PLOTS.get(suite, _none)(found[suite]["results"]):
            (plots / f"{suite}-{name}.svg").write_text(svg, encoding="utf-8")
    (DOCS / "benchmarks.md").write_text("\n".join(parts), encoding="utf-8")
    return 0


HEAD = """\
# Benchmarks

This page is written by `python -m bench.page` from what `make bench` has measured; no number in it was
typed by hand. `make bench ONLY=throughput` measures one suite, and `QUICK=1` has a small look. Peers are
installed by the bench, with pinned versions, into environments of their own under the user's cache. A dash
is a number that is not there, and the note says why.
"""


def section(suite: str, found: Row) -> str:
    """A suite: what it does, its plots, its table, and what limits it."""
    said = str(importlib.import_module(f"bench.suites.{suite}").__doc__).strip()
    machine = found["machine"]
    where = (
        f"{machine['cores']} cores ({machine['processor']}), {machine['system']}, Python {machine['python']}"
    )
    small = "; a small look (`QUICK=1`), whose numbers say little" if found["quick"] else ""
    shown = [
        f"![{suite}: {name}](benchmarks/{suite}-{name}.svg)\n"
        for name, _svg in PLOTS.get(suite, _none)(found["results"])
    ]
    notes = HERE / "notes" / f"{suite}.md"
    return "\n".join(
        [
            f"## {suite.capitalize()}\n",
            f"{said}\n",
            f"Measured {found['at']} on {where}{small}.\n",
            *shown,
            table(found["results"]),
            notes.read_text(encoding="utf-8") if notes.is_file() else "",
        ]
    )


def table(results: Iterable[Row]) -> str:
    """The results as a table of Markdown."""
    lines = [
        "| work | keys | system | metric | value | unit | rows | note |",
        "|---|--:|---|---|--:|---|--:|---|",
    ]
    for row in results:
        keys, rows = (f"{row[name]:,}" if row[name] else "" for name in ("keys", "rows"))
        note = row["note"].replace("|", "/")
        lines.append(
            f"| {row['work']} | {keys} | {row['system']} | {row['metric']} | {number(row['value'])}"
            f" | {row['unit']} | {rows} | {note} |"
        )
    return "\n".join(lines) + "\n"


Plots = Iterable[tuple[str, str]]


def _throughput(results: list[Row]) -> Plots:
    for keys in sorted({row["keys"] for row in results}):
        groups: dict[str, dict[str, float]] = {}
        for row in results:
            if row["metric"] == "throughput" and row["keys"] == keys and row["value"]:
                groups.setdefault(row["work"], {})[row["system"]] = row["value"]
        yield f"{keys}-keys", bars(groups, f"rows a second, {keys:,} keys")


def _latency(results: list[Row]) -> Plots:
    for metric in ("p50", "p99"):
        groups: dict[str, dict[str, float]] = {}
        for row in results:
            if row["metric"] == metric and row["value"]:
                groups.setdefault(row["work"], {})[row["system"]] = row["value"]
        yield metric, bars(groups, f"{metric}, milliseconds")


def _growth(results: list[Row]) -> Plots:
    def series(work: str, metric: str, x: str) -> list[tuple[float, float]]:
        return [(row[x], row["value"]) for row in results if row["work"] == work and row["metric"] == metric]

    yield "rows", lines({"rows/s": series("rows", "throughput", "rows")}, "rows so far", "rows a second")
    rates = {name: series("keys", f"throughput, {name} keys", "keys") for name in ("new", "known")}
    yield "keys", lines(rates, "keys held", "rows a second")
    yield "heap", lines({"heap a key": series("keys", "heap a key", "keys")}, "keys held", "bytes a key")
    held = {
        work: series(work, "heap held", "keys")
        for work in dict.fromkeys(row["work"] for row in results if row["work"].startswith("lateness"))
    }
    yield "lateness", lines(held, "keys so far", "megabytes held")


def _none(_results: list[Row]) -> Plots:
    return ()


PLOTS: dict[str, Callable[[list[Row]], Plots]] = {
    "throughput": _throughput,
    "latency": _latency,
    "growth": _growth,
}

if __name__ == "__main__":
    sys.exit(main())
