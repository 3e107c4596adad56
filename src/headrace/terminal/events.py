"""A running job as JSON, one object a line, for a program that reads it."""

from __future__ import annotations

import json
import sys
from dataclasses import fields
from typing import Any, TextIO

from headrace.connect.sink import Table
from headrace.runtime.progress import JobProgress
from headrace.terminal.cells import plain
from headrace.terminal.pipe import Pipe


class JsonView:
    """Writes everything that it is told: `{"event": "progress" | "table" | "message", …}`."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._pipe = Pipe(stream or sys.stdout)

    def update(self, progress: JobProgress) -> None:
        self._write("progress", progress.as_dict())

    def show(self, table: Table) -> None:
        self._write("table", {field.name: getattr(table, field.name) for field in fields(table)})

    def say(self, text: str) -> None:
        self._write("message", {"text": text})

    def close(self) -> None: ...

    def _write(self, event: str, told: dict[str, Any]) -> None:
        self._pipe.write([json.dumps({"event": event, **plain(told)}, ensure_ascii=False)])
