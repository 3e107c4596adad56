"""What a command prints: a table for people, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any


def print_json(content: Any) -> None:
    """One document on one line."""
    print(json.dumps(content, ensure_ascii=False, default=str), flush=True)


def print_table(heads: Sequence[str], rows: Iterable[Sequence[object]], *, empty: str) -> None:
    """Columns under their heads, numbers to the right; `empty` where there is no row."""
    cells = [["-" if cell is None else str(cell) for cell in row] for row in rows]
    if not cells:
        print(empty)
        return
    widths = [max(len(line[at]) for line in [list(heads), *cells]) for at in range(len(heads))]
    right = [
        all(line[at].lstrip("-").isdigit() or line[at] == "-" for line in cells) for at in range(len(heads))
    ]
    for line in [[head.upper() for head in heads], *cells]:
        padded = (
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(line, widths, right, strict=True)
        )
        print("  ".join(padded).rstrip())
