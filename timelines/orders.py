"""The worked example of the page on triggers: the same ten orders under each trigger and accumulation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import headrace as hr
from headrace.testing import TestDriver
from timelines.drawing import Drawing
from timelines.pages import DOCS, filled, program
from timelines.stories import Row, Story, moment, row
from timelines.telling import Told, in_order, run
from timelines.words import clock, results, span, table, timing

PAGE = DOCS / "triggers.md"
SOURCE, SINK = "orders", "totals"
ORDERS = (
    row("12:01", euros=5),
    row("12:02", euros=8),
    row("12:04", euros=3),
    row("12:03", came="12:05", euros=7),
    row("12:07", euros=6),
    row("12:08", euros=9),
    row("12:12", euros=4),
    row("12:09", came="12:13", euros=2),
    row("12:17", euros=5),
    row("12:06", came="12:18", euros=1),
)
STORY = Story(
    page="triggers",
    source=SOURCE,
    sink=SINK,
    label="euros",
    shown=("12:00", "12:24"),
    tick=5,
    rows=ORDERS,
)
CLICKS = (
    row("12:01", user="ann"),
    row("12:09", user="ann"),
    row("12:05", came="12:10", user="ann"),
    row("12:12", user="ann"),
)
CLOCK = ("12:10",)
"""When the clock is looked at beside the moments that rows come."""
PARTS = 'hr.after_count(4), hr.when("euros > 7")'
IN_PARTS = "hr.at_watermark(early=hr.after_count(2), late=hr.each_row())"


@dataclass(frozen=True, slots=True)
class Column:
    """One way to say when the window tells its total, as Python."""

    trigger: str
    accumulation: str = "hr.accumulating"
    output: str = "update"
    head: str = ""

    @property
    def name(self) -> str:
        return f"{self.trigger} {self.accumulation} {self.output}"

    @property
    def title(self) -> str:
        return self.head or f"`{self.trigger}`"


TABLES = {
    "watermark": (
        Column("", output="append", head='no trigger, `output="append"`'),
        Column("", head='no trigger, `output="update"`'),
        Column("hr.at_watermark()"),
        Column(IN_PARTS),
        Column("hr.at_watermark(early=hr.each_row(), late=hr.never())"),
    ),
    "rows": (
        Column("hr.each_row()"),
        Column('hr.when("euros > 7")'),
        Column("hr.after_count(3)"),
        Column("hr.repeat(hr.after_count(3))"),
    ),
    "together": (
        Column(f"hr.any_of({PARTS})"),
        Column(f"hr.all_of({PARTS})"),
        Column("hr.in_order(hr.after_count(1), hr.after_count(3))"),
        Column("hr.each_row().until(hr.after_count(3))"),
    ),
    "accumulation": tuple(
        Column(IN_PARTS, accumulation=f"hr.{word}", head=f"`hr.{word}`")
        for word in ("discarding", "accumulating", "retracting")
    ),
}
BY_CLOCK = {
    "clock": (
        Column('hr.after_delay("3 minutes")'),
        Column('hr.repeat(hr.after_delay("3 minutes"))'),
        Column('hr.every("5 minutes")'),
    )
}


def drawn(folder: Path) -> Iterator[tuple[Path, str]]:
    """The page with its tables, and the picture of the program that stands on it."""
    text = PAGE.read_text(encoding="utf-8")
    for tables, ticking in ((TABLES, False), (BY_CLOCK, True)):
        names = run(program(text, "orders.py"), folder / "orders.py")
        columns = {column.name: column for shown in tables.values() for column in shown}
        for column in columns.values():
            written(names["windows"], column)
        with TestDriver(names["app"], start=moment("12:00")) as driver:
            steps = tuple(_steps(driver, list(columns), ticking=ticking))
        for place, shown in tables.items():
            text = filled(text, place, compared(steps, shown))
    text = filled(text, STORY.page, "![Orders, windows and panes on a line of time](triggers.svg)")
    yield PAGE.with_suffix(".svg"), Drawing(STORY, [step[SINK] for step in steps]).svg()
    names = run(program(text, "merging.py"), folder / "merging.py")
    yield PAGE, filled(text, "merging", merging(names["app"]))


def written(windows: Any, column: Column) -> None:
    """The windows of the page under the column's trigger, to a sink of its name."""
    if column.trigger:
        accumulation = eval(column.accumulation, {"hr": hr})
        windows = windows.trigger(eval(column.trigger, {"hr": hr}), accumulation)
    windows.agg(total="sum(euros)").write(hr.memory(), name=column.name, output=column.output)


def _steps(driver: TestDriver, names: Sequence[str], *, ticking: bool) -> Iterator[dict[str, Told]]:
    """What left each sink, step by step; `ticking`, the clock goes on to each moment before its row comes."""
    by_moment: dict[str, list[Row]] = {when: [] for when in (CLOCK if ticking else ())}
    for order in ORDERS:
        by_moment.setdefault(order.came, []).append(order)
    now = moment("12:00")
    for when in sorted(by_moment):
        if ticking:
            driver.advance_time(moment(when) - now)
            now = moment(when)
            yield _read(driver, names, when, None)
        for order in by_moment[when]:
            driver.feed(SOURCE, order.fed)
            yield _read(driver, names, when, order)


def _read(driver: TestDriver, names: Sequence[str], when: str, order: Row | None) -> dict[str, Told]:
    late = tuple(driver.read_late(SINK))
    return {name: Told(when, order, tuple(driver.read(name)), late) for name in (SINK, *names)}


def compared(steps: Sequence[dict[str, Told]], columns: Sequence[Column]) -> str:
    """The columns by number, then a line a step: what the first window told then in each of them."""
    lines = []
    for step in steps:
        cells = ["<br>".join(map(_cell, _first_window(step[column.name]))) for column in columns]
        order = step[SINK].row
        if order is not None:
            lines.append([_coming(step[SINK], order), str(order.values["euros"]), *cells])
        elif any(cells):
            lines.append([f"{step[SINK].when}, *the clock*", "", *cells])
    legend = "\n".join(f"{at}. {column.title}" for at, column in enumerate(columns, 1))
    heads = [f"({at})" for at in range(1, len(columns) + 1)]
    return f"{legend}\n\n{table(['came', 'euros', *heads], lines)}"


def _coming(step: Told, order: Row) -> str:
    of = f", of {order.at}" if order.at != order.came else ""
    return f"{order.came}{of}{': *late*' if step.late else ''}"


def _first_window(step: Told) -> list[dict[str, Any]]:
    return [pane for pane in step.panes if clock(pane["window"]["start"]) == "12:00"]


def _cell(pane: dict[str, Any]) -> str:
    beside = ", ".join(filter(None, (pane.get("op"), timing(pane))))
    return f"**{pane['total']}** {beside}".strip()


def merging(app: hr.App) -> str:
    """A session that two others grow into: what is told, and what is taken back."""
    lines = []
    with TestDriver(app) as driver:
        for came in CLICKS:
            driver.feed("clicks", came.fed)
            panes = in_order(driver.read("visits"), "user")
            told = [f"{pane['op']} {span(pane['window'])}: **{results(pane, 'user')}**" for pane in panes]
            lines.append([came.came, came.at, "<br>".join(told)])
    return table(["came", "event time", "what leaves"], lines)
