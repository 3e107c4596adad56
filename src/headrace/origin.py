"""Where in the user's own program a thing was written."""

from __future__ import annotations

import linecache
import sys
from dataclasses import dataclass
from pathlib import Path

_OURS = str(Path(__file__).parent)


@dataclass(frozen=True, slots=True)
class Origin:
    """A line of the user's program: file, line number, and the text that stands there."""

    file: str
    line: int

    @property
    def code(self) -> str:
        return linecache.getline(self.file, self.line).strip()

    def __str__(self) -> str:
        return f"{short(self.file)}:{self.line}"


def short(file: str) -> str:
    """The file as a person would type it: relative to here where it lies below here."""
    path = Path(file)
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return file


def here() -> Origin | None:
    """The innermost line outside this package that led to the present call."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not is_ours(file) and not file.startswith("<frozen"):
            return Origin(file, frame.f_lineno)
        frame = frame.f_back
    return None


def is_ours(file: str) -> bool:
    return file.startswith(_OURS)
