"""A line on stderr that tells a waiting person what takes so long."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from headrace.time import SYSTEM_CLOCK, Clock


class Notice:
    """Silent for the first second; then it says what is going on, on one line where there is a terminal."""

    def __init__(
        self, text: str, *, after: float = 1.0, stream: TextIO | None = None, clock: Clock = SYSTEM_CLOCK
    ) -> None:
        self._text = text
        self._after = after
        self._stream = stream or sys.stderr
        self._clock = clock
        self._begun = clock.monotonic()
        self._shown = ""

    def update(self, progress: str = "") -> None:
        """Show the text and how far it got (`12/46`), once a second has passed."""
        if self._clock.monotonic() - self._begun < self._after:
            return
        line = f"{self._text}: {progress}" if progress else f"{self._text} …"
        if self._stream.isatty():
            self._write(f"\r\x1b[K{line}")
        elif not self._shown:
            self._write(f"{line}\n")
        self._shown = line

    def close(self) -> None:
        """Take the line away again where there is a terminal."""
        if self._shown and self._stream.isatty():
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


@contextmanager
def notice(text: str) -> Iterator[Notice]:
    """A notice for as long as the block lasts."""
    shown = Notice(text)
    try:
        yield shown
    finally:
        shown.close()
