"""A stream of plain lines that whoever reads it may leave at any time."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from typing import TextIO


class Pipe:
    """Writes whole lines, from any thread; once the other end is closed it writes nothing more."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lock = threading.RLock()
        self.open = True

    def write(self, lines: Iterable[str]) -> None:
        with self._lock:
            if not self.open:
                return
            encoding = getattr(self._stream, "encoding", None) or "utf-8"
            text = "".join(f"{line}\n" for line in lines).encode(encoding, "replace").decode(encoding)
            try:
                self._stream.write(text)
                self._stream.flush()
            except BrokenPipeError:
                self.open = False
                self._silence()

    def _silence(self) -> None:
        """Let the interpreter flush the stream at its end without another error."""
        try:
            number = self._stream.fileno()
        except (AttributeError, OSError, ValueError):
            return
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, number)
        os.close(nowhere)
