"""How panes, late rows and their windows are written in pictures and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

BESIDES = ("window", "pane", "op", "watermark", "at")


def clock(moment: datetime) -> str:
    """The time of day, in minutes.

    >>> clock(datetime(2026, 1, 1, 12, 4))
    '12:04'
    """
    return f"{moment:%H:%M}"


def span(window: Mapping[str, datetime] | None) -> str:
    """A window's bounds.

    >>> span({"start": datetime(2026, 1, 1, 12), "end": datetime(2026, 1, 1, 12, 10)})
    '12:00–12:10'
    """
    return f"{clock(window['start'])}–{clock(window['end'])}" if window else "no window"


def results(pane: Mapping[str, Any], key: str | None) -> str:
    """The aggregates of a pane, by name.

    >>> results({"page": "/home", "views": 2, "worst": 1.5}, "page")
    'views 2, worst 1.5'
    """
    return ", ".join(f"{name} {value(held)}" for name, held in pane.items() if name not in (*BESIDES, key))


def value(held: object) -> str:
    """A number without needless digits, and all else as it is.

    >>> value(22.0), value(21.666666), value("a")
    ('22', '21.67', 'a')
    """
    return f"{held:.2f}".rstrip("0").rstrip(".") if isinstance(held, float) else str(held)


def timing(pane: Mapping[str, Any]) -> str:
    """Which pane it is, where the job asked for that."""
    said = pane.get("pane")
    if not said:
        return ""
    return f"{said['timing'].replace('_', ' ')} {said['index']}{', final' if said['final'] else ''}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
