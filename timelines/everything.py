"""All files of the docs that come from runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from headrace.settings import Project
from headrace.spark.session import session
from timelines import orders, windows

PARTITIONS = "spark.sql.shuffle.partitions"


def files(folder: Path) -> dict[Path, str]:
    """What each file should hold; programs are run as files of the folder."""
    with one_partition(folder):
        return dict([*windows.drawn(folder), *orders.drawn(folder)])


@contextmanager
def one_partition(folder: Path) -> Iterator[None]:
    """A handful of rows needs no more than one task a step, and each task costs time."""
    conf = session("timelines", Project(folder)).conf
    before = str(conf.get(PARTITIONS))
    conf.set(PARTITIONS, "1")
    try:
        yield
    finally:
        conf.set(PARTITIONS, before)
