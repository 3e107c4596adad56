"""Where in the user's own program a thing was written."""

from __future__ import annotations

import linecache
import sys
import sysconfig
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

_OURS = str(Path(__file__).parent)
_PYTHON = sysconfig.get_path("stdlib")


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


def raised_at(error: BaseException) -> Origin | None:
    """The last line of the user's own, in neither a library nor Python itself, that an error came through."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if is_users(frame.filename) and frame.lineno]
    return Origin(own[-1].filename, own[-1].lineno or 0) if own else None


def is_users(file: str) -> bool:
    """Whether a file is the user's own, and neither ours, nor a library's, nor Python's."""
    theirs = ("site-packages", "dist-packages", "pyspark.zip", "py4j")
    return not (
        is_ours(file) or file.startswith(("<frozen", _PYTHON)) or any(part in file for part in theirs)
    )


def is_ours(file: str) -> bool:
    return file.startswith(_OURS)
