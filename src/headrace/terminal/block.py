"""The block that stands at the bottom of a terminal while a job runs, as lines that fit into it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from rich.text import Text

from headrace.runtime.progress import JobProgress, QueryProgress, State
from headrace.terminal import cells, figures
from headrace.terminal.board import Page, Sheet
from headrace.terminal.tables import numeric

GAP = 2
STATE_STYLES = {
    State.STARTING: "yellow",
    State.RUNNING: "green",
    State.WAITING: "yellow",
    State.FINISHED: "cyan",
    State.STOPPED: "dim",
    State.FAILED: "bold red",
}
LEADING = (State.FAILED, State.STARTING, State.RUNNING, State.WAITING, State.STOPPED, State.FINISHED)
ENDED = (State.FINISHED, State.STOPPED, State.FAILED)


@dataclass(frozen=True)
class Column:
    """A column of text: its head, a text and a style a row, and what it is worth where room is scarce."""

    head: str
    texts: list[str]
    styles: list[str]
    right: bool = False
    worth: int = 0

    @property
    def width(self) -> int:
        return cells.width([self.head, *self.texts])


def _watermark(query: QueryProgress, now: datetime) -> str | None:
    return None if query.watermark is None else figures.watermark(query.watermark, now)


def _behind(query: QueryProgress, now: datetime) -> str | None:
    return None if query.watermark is None else figures.behind(query.watermark, now)


def _optional(value: float | None, show: Callable[[float], str] = figures.count) -> str | None:
    return None if value is None else show(value)


Field = tuple[str, bool, int, Callable[[QueryProgress, datetime], str | None]]
FIELDS: tuple[Field, ...] = (
    ("query", False, 99, lambda query, _: query.name),
    ("state", False, 98, lambda query, _: str(query.state)),
    ("in/s", True, 97, lambda query, _: figures.count(query.rows_in_per_second)),
    ("out/s", True, 90, lambda query, _: _optional(query.rows_out_per_second)),
    ("batch", True, 80, lambda query, _: _optional(query.batch, "{:.0f}".format)),
    ("took", True, 91, lambda query, _: _optional(query.batch_ms, figures.millis)),
    ("watermark", False, 94, _watermark),
    ("", False, 70, _behind),
    ("lag", True, 93, lambda query, _: _optional(query.lag)),
    ("state rows", True, 75, lambda query, _: _optional(query.state_rows)),
    ("rejected", True, 95, lambda query, _: _optional(query.rejected)),
    ("late", True, 92, lambda query, _: _optional(query.late or None)),
)


def job_state(progress: JobProgress) -> State:
    """The state of a job: that of the query that says most about it."""
    states = {query.state for query in progress.queries}
    return next((state for state in LEADING if state in states), State.STARTING)


def block(
    progress: JobProgress | None, sheets: Sequence[Sheet], *, width: int, height: int, today: date
) -> list[Text]:
    """The job, its queries and its tables in at most `height` lines of at most `width` characters."""
    lines = [] if progress is None else _head(progress, width, height)
    room = height - len(lines)
    shown = list(sheets)
    while shown and _least(shown, bool(lines)) > room - (len(shown) < len(sheets)):
        shown.pop()
    for sheet, rows in zip(
        shown, _shares(shown, room - _frames(shown, bool(lines)), len(sheets)), strict=True
    ):
        if lines:
            lines.append(Text())
        lines.extend(_sheet(sheet, rows, width, today))
    if len(shown) < len(sheets) and len(lines) < height:
        left = len(sheets) - len(shown)
        lines.append(_note(f"… {left} more table{'' if left == 1 else 's'}", width))
    return lines


def _head(progress: JobProgress, width: int, height: int) -> list[Text]:
    state = job_state(progress)
    total = sum(query.rows_in for query in progress.queries)
    rows = f"{figures.count(total)} rows in · " if total else ""
    head = Text.assemble(
        (progress.job, "bold"),
        (f" · {progress.mode} · {figures.span(progress.seconds)} · {rows}", "dim"),
        (str(state), STATE_STYLES[state]),
    )
    queries = _queries(progress, width)
    messages = [
        Text(cells.cut(f"{query.name}: {line}", width), STATE_STYLES[query.state])
        for query in progress.queries
        for line in query.message.strip().splitlines()[:1]
    ]
    lines = [_fitted(head, width), *queries, *messages]
    if len(lines) <= height:
        return lines
    return [*lines[: max(height - 1, 0)], _note(f"… {len(lines) - height + 1} more lines", width)][:height]


def _queries(progress: JobProgress, width: int) -> list[Text]:
    found = []
    for head, right, worth, text in FIELDS:
        values = [text(query, progress.at) for query in progress.queries]
        if any(value is not None for value in values):
            styles = [_style(head, query) for query in progress.queries]
            found.append(Column(head, [value or "" for value in values], styles, right, worth))
    while len(found) > 1 and _wide(found) > width:
        found.remove(min(found, key=lambda column: column.worth))
    return grid(found, width) if progress.queries else []


def _style(head: str, query: QueryProgress) -> str:
    if head == "state":
        return STATE_STYLES[query.state]
    if head in ("rejected", "late") and getattr(query, head):
        return "bold red"
    return "dim" if head == "" else ""


def _least(sheets: Sequence[Sheet], below: bool) -> int:
    return _frames(sheets, below) + sum(min(len(sheet.rows), 1) for sheet in sheets)


def _frames(sheets: Sequence[Sheet], below: bool) -> int:
    """The lines that tables take besides their rows: a blank one between, the name, the heads."""
    return 3 * len(sheets) - (not below) if sheets else 0


def _shares(sheets: Sequence[Sheet], room: int, of: int) -> list[int]:
    """How many lines each table gets for its rows: what it needs, and where room is scarce a fair share."""
    room -= len(sheets) < of
    needs = [len(sheet.rows) + (sheet.more > 0) for sheet in sheets]
    shares = [0] * len(sheets)
    left = room
    for position, at in enumerate(sorted(range(len(sheets)), key=lambda at: needs[at])):
        shares[at] = min(needs[at], left // (len(sheets) - position))
        left -= shares[at]
    return shares


def _sheet(sheet: Sheet, room: int, width: int, today: date) -> list[Text]:
    page = _page(sheet, room)
    columns = [
        Column(
            name,
            cells.column([row.get(name) for row in page.rows], today),
            ["dim" if row.get(name) is None else "" for row in page.rows],
            numeric(name, page.rows),
        )
        for name in sheet.columns
    ]
    shown = list(columns)
    while len(shown) > 1 and _wide(shown) > width:
        shown.pop()
    title = Text.assemble((sheet.name, "bold"), (f" · {sheet.output}", "dim"))
    if len(shown) < len(columns):
        title.append(f" · … {len(columns) - len(shown)} more columns", "dim")
    lines = grid(shown, width)
    above = [_note(f"… {figures.count(page.above)} earlier rows", width)] if page.above else []
    below = [_note(f"… {figures.count(page.below)} more rows", width)] if page.below else []
    return [_fitted(title, width), *lines[:1], *(above + lines[1:] + below)[:room]]


def _page(sheet: Sheet, room: int) -> Page:
    """The page whose rows and notes together take `room` lines."""
    page = sheet.page(room)
    notes = (page.above > 0) + (page.below > 0)
    return sheet.page(max(room - notes, 0)) if len(page.rows) + notes > room else page


def grid(columns: Sequence[Column], width: int) -> list[Text]:
    """A line of heads and a line a row; what sticks out on the right is cut."""
    lines = []
    for at in range(-1, max((len(column.texts) for column in columns), default=0)):
        line = Text()
        for column in columns:
            text, style = (column.head, "dim") if at < 0 else (column.texts[at], column.styles[at])
            pad = " " * (column.width - cells.width([text]))
            line.append(" " * GAP if len(line) else "")
            line.append(pad if column.right else "").append(text, style).append("" if column.right else pad)
        line.rstrip()
        lines.append(_fitted(line, width))
    return lines


def _wide(columns: Sequence[Column]) -> int:
    return sum(column.width for column in columns) + GAP * (len(columns) - 1)


def _note(text: str, width: int) -> Text:
    return Text(cells.cut(text, width), "dim")


def _fitted(line: Text, width: int) -> Text:
    line.truncate(width, overflow="ellipsis")
    return line
