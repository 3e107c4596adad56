"""The pictures and tables of the pages on windows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from timelines.drawing import Drawing
from timelines.pages import DOCS, filled, program
from timelines.stories import STORIES, Story
from timelines.telling import Told, run, told
from timelines.words import results, span, table, timing


def drawn(folder: Path) -> Iterator[tuple[Path, str]]:
    """Each file of the docs that comes from a story, and what it should hold; programs run in the folder."""
    for story in STORIES:
        page = DOCS / "windows" / f"{story.page}.md"
        text = page.read_text(encoding="utf-8")
        steps = told(story, run(program(text), folder / f"{story.page}.py")["app"])
        yield page.with_suffix(".svg"), Drawing(story, steps).svg()
        picture = f"![Rows, windows and panes on a line of time]({page.stem}.svg)"
        yield page, filled(text, story.page, f"{picture}\n\n{happened(story, steps)}")


def happened(story: Story, steps: Sequence[Told]) -> str:
    """A line for each row: what it held, when it came, and what left because of it."""
    columns = list(story.rows[0].values)
    return table(
        ["came", *columns, "event time", "what leaves"],
        [
            [
                row.came,
                *(str(row.values[column]) for column in columns),
                row.at,
                "<br>".join([*(_pane(pane, story) for pane in step.panes), *map(_late, step.late)]),
            ]
            for row, step in zip(story.rows, steps, strict=True)
        ],
    )


def _pane(pane: dict[str, Any], story: Story) -> str:
    window = span(pane["window"]) if "window" in pane else ""
    named = [pane[story.key] if story.key else "", window, pane.get("op", ""), timing(pane)]
    return f"{' '.join(filter(None, named))}: **{results(pane, story.key)}**"


def _late(row: dict[str, Any]) -> str:
    return f"*late for {span(row['window'])}*" if row["window"] else "*late: in no window*"
