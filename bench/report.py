"""Results: rows of one shape, as a table and as JSON."""

from __future__ import annotations

import json
import platform
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path


@dataclass(frozen=True)
class Result:
    """One measured number."""

    suite: str
    work: str
    system: str
    metric: str
    value: float
    unit: str
    rows: int = 0
    keys: int = 0


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def table(results: Sequence[Result]) -> str:
    """The results as aligned text, one line each."""
    head = ("work", "system", "metric", "value", "unit", "rows", "keys")
    lines = [head] + [
        (
            result.work,
            result.system,
            result.metric,
            number(result.value),
            result.unit,
            f"{result.rows:,}" if result.rows else "",
            f"{result.keys:,}" if result.keys else "",
        )
        for result in results
    ]
    widths = [max(len(line[at]) for line in lines) for at in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if at in (3, 5, 6) else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def keep(path: Path, results: Sequence[Result], *, quick: bool) -> None:
    """Write the results; suites that were not run keep what an earlier run wrote."""
    before = json.loads(path.read_text(encoding="utf-8"))["results"] if path.is_file() else []
    run = {result.suite for result in results}
    rows = [row for row in before if row["suite"] not in run] + [asdict(result) for result in results]
    content = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"cores": _cores(), "python": platform.python_version(), "system": platform.system()},
        "quick": quick,
        "results": rows,
    }
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _cores() -> int:
    import os

    return os.cpu_count() or 1
