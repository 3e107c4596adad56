"""The block in a terminal, and which view is picked."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from rich.console import Console

from headrace.connect.sink import Table
from headrace.model.modes import Output
from headrace.runtime.progress import JobProgress, QueryProgress, State, View
from headrace.terminal.block import block
from headrace.terminal.board import Board
from headrace.terminal.events import JsonView
from headrace.terminal.lines import LineView
from headrace.terminal.live import LiveView, view

NOW = datetime(2026, 1, 2, 12, 0, 5, tzinfo=UTC)
COUNTS = QueryProgress(
    "counts",
    State.RUNNING,
    batch=12,
    batch_ms=210.2,
    rows_in=40_000,
    rows_in_per_second=3_141,
    rows_out_per_second=40,
    watermark=NOW - timedelta(seconds=4),
    lag=0,
    state_rows=1_234,
    rejected=0,
)


def progress(*queries: QueryProgress) -> JobProgress:
    return JobProgress("alarms", "micro-batch", NOW, 83.0, queries)


def rows(name: str, count: int, output: Output = Output.APPEND, more: int = 0) -> Table:
    return Table(name, ["station", "n"], [], [{"station": "a", "n": n} for n in range(count)], output, more)


def lines(job: JobProgress | None, *tables: Table, width: int = 100, height: int = 30) -> list[str]:
    board = Board()
    for table in tables:
        board.fold(table)
    found = block(job, list(board.sheets.values()), width=width, height=height, today=NOW.date())
    return [line.plain for line in found]


def terminal(height: int = 30) -> Console:
    return Console(
        record=True, force_terminal=True, width=100, height=height, file=io.StringIO(), highlight=False
    )


class Held:
    """A clock that stands still."""

    def now(self) -> datetime:
        return NOW

    def monotonic(self) -> float:
        return 0.0

    def sleep(self, seconds: float) -> None: ...


def test_one_query_with_all_its_columns_and_a_table():
    assert lines(progress(COUNTS), rows("counts", 2)) == [
        "alarms · micro-batch · 1m 23s · 40k rows in · running",
        "query   state    in/s  out/s  batch    took  watermark             lag  state rows  rejected",
        "counts  running  3.1k     40     12  210 ms  12:00:01   4s behind    0        1.2k         0",
        "",
        "counts · append",
        "station  n",
        "a        0",
        "a        1",
    ]


def test_columns_that_no_query_has_are_left_out():
    drawn = lines(progress(QueryProgress("counts", State.STARTING)))

    assert drawn[1].split() == ["query", "state", "in/s"]


def test_the_least_worthy_columns_go_first_in_a_narrow_terminal():
    drawn = lines(progress(COUNTS), width=60)

    assert max(len(line) for line in drawn) <= 60
    assert "behind" not in drawn[2]
    assert "watermark" in drawn[1]
    assert "rejected" in drawn[1]


def test_a_message_stands_below_the_queries():
    failed = QueryProgress("counts", State.FAILED, message="Kafka refused\nat line 7")

    assert lines(progress(failed))[-1] == "counts: Kafka refused"
    assert lines(progress(failed))[0].endswith("failed")


def test_rejected_rows_are_red():
    found = block(progress(replace(COUNTS, rejected=3)), [], width=120, height=9, today=NOW.date())

    assert any(span.style == "bold red" for span in found[2].spans)


@pytest.mark.parametrize("height", range(1, 40))
@pytest.mark.parametrize("count", [0, 1, 5])
def test_the_block_never_exceeds_the_terminal(height, count):
    tables = [rows(f"t{at}", 3 + 9 * at, more=at) for at in range(count)]

    drawn = lines(progress(COUNTS, COUNTS), *tables, width=70, height=height)

    assert len(drawn) <= height
    assert max(len(line) for line in drawn) <= 70


def test_tables_share_the_room_and_say_what_is_cut():
    drawn = lines(None, rows("small", 2), rows("large", 20, Output.COMPLETE, more=5), height=12)

    assert drawn[:4] == ["small · append", "station  n", "a        0", "a        1"]
    assert drawn[-1] == "… 21 more rows"
    assert len(drawn) == 12


def test_tables_without_room_are_counted():
    assert lines(progress(COUNTS), rows("a", 5), rows("b", 5), height=8)[-1] == "… 1 more table"


def test_columns_without_room_are_counted():
    wide = Table("t", list("abcdef"), [], [dict.fromkeys("abcdef", "x" * 30)], Output.APPEND)

    assert lines(None, wide, width=70)[0] == "t · append · … 4 more columns"


def test_live_view_leaves_its_last_block_and_says_above_it():
    console = terminal()
    live = LiveView(console, clock=Held())
    live.update(progress(COUNTS))
    live.show(rows("counts", 3))
    live.say("topic 'alarms' [3 partitions]")
    live.update(progress(replace(COUNTS, state=State.FINISHED)))
    live.close()
    live.close()

    shown = console.export_text()
    assert "topic 'alarms' [3 partitions]" in shown
    assert shown.rstrip().endswith("a        2")
    assert "finished" in shown
    assert shown.index("topic 'alarms'") < shown.rindex("alarms · micro-batch")


def test_live_view_that_was_told_nothing_shows_nothing():
    console = terminal()
    live = LiveView(console)
    live.close()
    live.update(progress(COUNTS))

    assert console.export_text() == ""


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_view_suits_its_stream(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")

    assert isinstance(view(Screen()), LiveView)
    assert isinstance(view(io.StringIO()), LineView)
    assert isinstance(view(Screen(), json=True), JsonView)

    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(view(Screen()), LineView)


def test_every_view_is_a_view():
    views: list[View] = [LiveView(terminal()), LineView(io.StringIO()), JsonView(io.StringIO())]

    assert len(views) == 3
