"""All files of the docs that come from runs."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from timelines import orders, windows


def files(folder: Path) -> dict[Path, str]:
    """What each file should hold; programs are run as files of the folder."""
    made: Iterable[tuple[Path, str]] = chain(windows.drawn(folder), orders.drawn(folder))
    return dict(made)
