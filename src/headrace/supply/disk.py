"""Room on the disk."""

from __future__ import annotations

import shutil
from pathlib import Path

from headrace.errors import DiskFull

NEEDED = 200_000_000


def free_bytes(folder: Path) -> int:
    """What is free on the disk that holds the folder, or that would hold it."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return shutil.disk_usage(folder).free


def require_room(folder: Path, needed: int = NEEDED) -> None:
    """Raise where the disk of that folder is all but full."""
    free = free_bytes(folder)
    if free < needed:
        raise DiskFull(
            f"only {free // 1_000_000} MB are free on the disk of {folder}; {needed // 1_000_000} are needed",
            hint="free some room on that disk, or choose a folder on another",
        )
