"""Listings: rows as a table in a terminal, as aligned text in a pipe, as JSON for a program."""

from __future__ import annotations

import json as _json
import sys
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, TextIO

from headrace.terminal import cells
from headrace.terminal.pipe import Pipe
from headrace.time import SYSTEM_CLOCK

GAP = "  "
UNCUT = 1_000_000


def print_rows(
    rows: Sequence[Mapping[str, Any]],
    columns: Sequence[str] | None = None,
    *,
    json: bool = False,
    stream: TextIO | None = None,
) -> None:
    """Print rows to stdout, in the shape that suits who reads it.

    >>> print_rows([{"topic": "alarms", "partitions": 3}], json=False)
    topic   partitions
    alarms           3
    """
    stream = stream or sys.stdout
    names = (
        list(columns) if columns is not None else list(dict.fromkeys(name for row in rows for name in row))
    )
    if json:
        found = [{name: cells.plain(row.get(name)) for name in names} for row in rows]
        Pipe(stream).write([_json.dumps(found, ensure_ascii=False, indent=2)])
    elif stream.isatty():
        _print_table(rows, names, stream)
    else:
        Pipe(stream).write(aligned(names, rows, SYSTEM_CLOCK.now().date(), UNCUT))


def aligned(
    columns: Sequence[str], rows: Sequence[Mapping[str, Any]], today: date, widest: int = cells.WIDEST
) -> list[str]:
    """A header and the rows, in columns: numbers to the right, all else to the left."""
    texts = {name: cells.column([row.get(name) for row in rows], today, widest) for name in columns}
    widths = {name: max(cells.width([name]), cells.width(texts[name])) for name in columns}
    right = {name for name in columns if numeric(name, rows)}

    def line(values: Mapping[str, str]) -> str:
        padded = [_padded(values[name], widths[name], right=name in right) for name in columns]
        return GAP.join(padded).rstrip()

    head = line({name: name for name in columns})
    return [head, *(line({name: texts[name][at] for name in columns}) for at in range(len(rows)))]


def numeric(name: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a column holds numbers, and nulls at most besides."""
    values = [row.get(name) for row in rows if row.get(name) is not None]
    return bool(values) and all(cells.is_number(value) for value in values)


def _padded(text: str, width: int, *, right: bool) -> str:
    room = " " * (width - cells.width([text]))
    return room + text if right else text + room


def _print_table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str], stream: TextIO) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    today = SYSTEM_CLOCK.now().date()
    texts = {name: cells.column([row.get(name) for row in rows], today, UNCUT) for name in columns}
    for name in columns:
        table.add_column(Text(name), justify="right" if numeric(name, rows) else "left", overflow="fold")
    for at, row in enumerate(rows):
        table.add_row(*(Text(texts[name][at], "dim" if row.get(name) is None else "") for name in columns))
    Console(file=stream, highlight=False).print(table)
