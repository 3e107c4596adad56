"""The archive of classes that a JVM loads at its start: written by a first run, mapped by all later ones."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from headrace.settings import cache_folder
from headrace.supply.java import Java

QUIET = "-Xlog:disable -Xlog:all=error:stderr"
"""A JVM says on standard output when an archive does not fit, and goes on without it."""


def archive_of(java: Java, kind: str, of: Iterable[str]) -> Path:
    """Where the classes of such a program on this Java are kept; `of` is all that they depend on."""
    told = " ".join([str(java.home), java.version, *of])
    return cache_folder() / kind / f"{hashlib.sha256(told.encode()).hexdigest()[:16]}.jsa"


def sharing(java: Java, archive: Path) -> str:
    """Options that use the archive, or write it where there is none; no options where Java cannot."""
    if not (java.home / "lib" / "server" / "classes.jsa").is_file():
        return ""
    _adopt(archive)
    if archive.is_file():
        return f'"-XX:SharedArchiveFile={archive}" -Xshare:auto {QUIET}'
    archive.parent.mkdir(parents=True, exist_ok=True)
    return f'"-XX:ArchiveClassesAtExit={archive}.{os.getpid()}" {QUIET}'


def _adopt(archive: Path) -> None:
    """Take an archive that an earlier run has left whole; its head is what a JVM writes last."""
    if archive.is_file():
        return
    for left in sorted(archive.parent.glob(f"{archive.name}.*")):
        with left.open("rb") as file:
            whole = any(file.read(4))
        if whole:
            left.replace(archive)
            return
