"""A running job in a terminal: one block that is drawn again in place; and which view suits what."""

from __future__ import annotations

import os
import sys
import threading
from dataclasses import replace
from typing import TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from headrace.connect.sink import Table
from headrace.runtime.progress import JobProgress, View
from headrace.terminal.block import ENDED, block
from headrace.terminal.board import Board
from headrace.terminal.events import JsonView
from headrace.terminal.lines import LineView
from headrace.time import SYSTEM_CLOCK, Clock

TIMES_A_SECOND = 4


def view(stream: TextIO | None = None, *, json: bool = False) -> View:
    """The view that suits where it is seen: a terminal, a pipe, or (with `json`) a program."""
    stream = stream or sys.stdout
    if json:
        return JsonView(stream)
    if stream.isatty() and os.environ.get("TERM") != "dumb":
        return LiveView(Console(file=stream, highlight=False))
    return LineView(stream)


class LiveView:
    """One block at the bottom of the terminal: the job, a row a query, and the tables of console sinks."""

    def __init__(self, console: Console | None = None, *, clock: Clock = SYSTEM_CLOCK) -> None:
        self._console = console or Console(highlight=False)
        self._clock = clock
        self._board = Board()
        self._progress: JobProgress | None = None
        self._told = clock.monotonic()
        self._lock = threading.RLock()
        self._closed = False
        self._live = Live(
            console=self._console,
            get_renderable=self._render,
            refresh_per_second=TIMES_A_SECOND,
            vertical_overflow="crop",
        )

    def update(self, progress: JobProgress) -> None:
        with self._lock:
            self._progress, self._told = progress, self._clock.monotonic()
        self._start()

    def show(self, table: Table) -> None:
        with self._lock:
            self._board.fold(table)
        self._start()

    def say(self, text: str) -> None:
        """Print a text above the block."""
        self._console.print(Text(text), soft_wrap=True)

    def close(self) -> None:
        """Draw the block a last time and leave it where it is."""
        self._closed = True
        self._live.stop()

    def _start(self) -> None:
        if not self._closed and not self._live.is_started:
            self._live.start()

    def _render(self) -> Group:
        """The block as of now; between two reports the running time goes on by itself."""
        with self._lock:
            progress = self._progress
            if progress is not None and any(query.state not in ENDED for query in progress.queries):
                since = self._clock.monotonic() - self._told
                progress = replace(progress, seconds=progress.seconds + (0 if self._closed else since))
            width, height = self._console.size
            sheets = list(self._board.sheets.values())
            today = self._clock.now().date()
            return Group(*block(progress, sheets, width=width, height=max(height - 2, 1), today=today))
