"""Results: rows of one shape, as a table and as JSON."""

from __future__ import annotations

import json
import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Result:
    """One measured number."""

    suite: str
    work: str
    system: str
    metric: str
    value: float | None
    """None where there is none; `note` says why."""
    unit: str
    rows: int = 0
    keys: int = 0
    note: str = ""


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def table(results: Sequence[Result]) -> str:
    """The results as aligned text, one line each."""
    head = ("work", "system", "metric", "value", "unit", "rows", "keys", "note")
    lines = [head] + [
        (
            result.work,
            result.system,
            result.metric,
            number(result.value),
            result.unit,
            f"{result.rows:,}" if result.rows else "",
            f"{result.keys:,}" if result.keys else "",
            result.note,
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


def number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def keep(path: Path, suite: str, results: Sequence[Result], *, quick: bool) -> None:
    """Write a suite's results, when and where they were measured; other suites keep what they had."""
    content = read(path)
    content[suite] = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {
            "cores": os.cpu_count() or 1,
            "processor": processor(),
            "python": platform.python_version(),
            "system": platform.system(),
        },
        "quick": quick,
        "results": [asdict(result) for result in results],
    }
    path.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def read(path: Path) -> dict[str, Any]:
    """What was written, by suite."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


def processor() -> str:
    """The processor's name, where the system tells it."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text(encoding="utf-8").splitlines() if told.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
