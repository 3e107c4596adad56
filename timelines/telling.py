"""Stories run for real: the job of a page, fed row by row, and what left it after each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headrace.app import App
from headrace.testing import TestDriver
from timelines.stories import Row, Story


@dataclass(frozen=True, slots=True)
class Told:
    """A step of a story (a row that came, or the clock that went on), and what left the job because of it."""

    when: str
    row: Row | None
    panes: tuple[dict[str, Any], ...]
    late: tuple[dict[str, Any], ...]


def run(code: str, file: Path) -> dict[str, Any]:
    """The names that a page's program makes; it is run as a file of a project of its own."""
    file.write_text(code, encoding="utf-8")
    names: dict[str, Any] = {"__name__": file.stem}
    exec(compile(code, str(file), "exec"), names)
    return names


def told(story: Story, app: App) -> tuple[Told, ...]:
    """The story's rows, one a batch, each with what left because of it."""
    with TestDriver(app) as driver:
        return tuple(_fed(story, driver))


def _fed(story: Story, driver: TestDriver) -> Iterator[Told]:
    for row in story.rows:
        driver.feed(story.source, row.fed)
        panes = driver.read(story.sink)
        late = driver.read_late(story.sink) if story.keeps_late else []
        yield Told(row.came, row, in_order(panes, story.key), in_order(late, story.key))


def in_order(rows: Sequence[dict[str, Any]], key: str | None) -> tuple[dict[str, Any], ...]:
    """Rows by key: within a key they have an order, and between keys none."""
    return tuple(sorted(rows, key=lambda row: str(row[key]))) if key else tuple(rows)
