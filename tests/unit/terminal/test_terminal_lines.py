# ruff: noqa: DTZ001 (Spark hands rows over with times that carry no zone)
"""Plain lines, JSON lines, listings, and pipes that close."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pyspark.sql import Row

from headrace.connect.sink import Table
from headrace.model.modes import Output
from headrace.runtime.progress import JobProgress, QueryProgress, State
from headrace.terminal.events import JsonView
from headrace.terminal.lines import LineView
from headrace.terminal.pipe import Pipe
from headrace.terminal.tables import print_rows

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
)


class Hand:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        return NOW

    def monotonic(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds


class Told:
    """A line view with its stream and its clock."""

    def __init__(self) -> None:
        self.stream, self.clock = io.StringIO(), Hand()
        self.view = LineView(self.stream, clock=self.clock)

    def update(self, *queries: QueryProgress) -> None:
        self.view.update(JobProgress("alarms", "micro-batch", NOW, 1.0, queries))

    @property
    def lines(self) -> list[str]:
        return self.stream.getvalue().splitlines()


def test_a_line_says_how_a_query_fares():
    told = Told()

    told.update(COUNTS)

    assert told.lines == [
        "12:00:05 counts: batch 12, 3.1k rows/s in, 40 rows/s out, 210 ms, watermark 12:00:01, "
        "lag 0, state 1.2k"
    ]


def test_the_first_line_comes_with_the_first_batch_and_the_next_ten_seconds_later():
    told = Told()
    told.update(QueryProgress("counts", State.STARTING))
    told.update(replace(COUNTS, batch=0))
    told.clock.seconds = 9.9
    told.update(replace(COUNTS, batch=1))
    told.clock.seconds = 10.0
    told.update(replace(COUNTS, batch=2))

    assert [line.split(",")[0] for line in told.lines] == [
        "12:00:05 counts: batch 0",
        "12:00:05 counts: batch 2",
    ]


def test_nothing_new_is_not_told_again():
    told = Told()
    told.update(COUNTS)
    told.clock.seconds = 60
    told.update(COUNTS)

    assert len(told.lines) == 1


def test_a_change_of_state_is_told_at_once():
    told = Told()
    told.update(COUNTS)
    told.update(replace(COUNTS, state=State.FAILED, message="Kafka\nrefused", rejected=3))

    assert told.lines[1] == (
        "12:00:05 counts: failed, 40k rows in, batch 12, 210 ms, watermark 12:00:01, lag 0, state 1.2k, "
        "3 rejected, Kafka refused"
    )


def test_closing_tells_what_was_held_back():
    told = Told()
    told.update(COUNTS)
    told.update(replace(COUNTS, batch=13))
    told.view.close()
    told.view.close()

    assert [line.split(",")[0] for line in told.lines] == [
        "12:00:05 counts: batch 12",
        "12:00:05 counts: batch 13",
    ]


def test_tables_are_aligned_and_show_only_what_changed():
    told = Told()
    window = Row(start=datetime(2026, 1, 2, 12), end=datetime(2026, 1, 2, 12, 10))
    first = [{"window": window, "id": "a", "n": 9}, {"window": window, "id": "bb", "n": None}]
    told.view.show(Table("counts", ["window", "id", "n"], ["window", "id"], first, Output.UPDATE))
    second = [first[0], {"window": window, "id": "bb", "n": 100}]
    told.view.show(Table("counts", ["window", "id", "n"], ["window", "id"], second, Output.UPDATE, more=7))
    told.view.show(Table("counts", ["window", "id", "n"], ["window", "id"], second, Output.UPDATE))
    told.view.say("stopping")

    assert told.lines == [
        "counts (update, 2 rows)",
        "  window             id     n",
        "  12:00:00–12:10:00  a      9",
        "  12:00:00–12:10:00  bb  null",
        "counts (update, 1 of 8 rows)",
        "  window             id    n",
        "  12:00:00–12:10:00  bb  100",
        "stopping",
    ]


def test_json_lines():
    stream = io.StringIO()
    view = JsonView(stream)
    view.update(JobProgress("alarms", "micro-batch", NOW, 1.0, (COUNTS,)))
    rows = [{"window": Row(start=NOW, end=NOW), "raw": b"x"}]
    view.show(Table("counts", ["window", "raw"], [], rows, Output.APPEND))
    view.say("stopping")
    view.close()

    job, table, message = (json.loads(line) for line in stream.getvalue().splitlines())
    assert (job["event"], job["queries"][0]["watermark"]) == ("progress", "2026-01-02T12:00:01+00:00")
    assert (table["event"], table["output"], table["more"]) == ("table", "append", 0)
    assert table["rows"][0]["window"]["start"] == "2026-01-02T12:00:05+00:00"
    assert message == {"event": "message", "text": "stopping"}


def test_a_listing_in_a_pipe_is_aligned_and_uncut(capsys):
    print_rows([{"topic": "alarms", "n": 3}, {"topic": "x" * 99, "n": None}])

    assert capsys.readouterr().out.splitlines() == [
        "topic" + " " * 96 + "   n",
        "alarms" + " " * 95 + "   3",
        "x" * 99 + "  null",
    ]


def test_a_listing_as_json_has_the_columns_asked_for(capsys):
    print_rows([{"topic": "alarms", "n": 3}], ["n", "at"], json=True)

    assert json.loads(capsys.readouterr().out) == [{"n": 3, "at": None}]


def test_a_listing_of_nothing(capsys):
    print_rows([], ["topic"])
    print_rows([], json=True)

    assert capsys.readouterr().out.splitlines() == ["topic", "[]"]


def test_a_listing_in_a_terminal_is_a_table():
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Screen()
    print_rows([{"topic": "[alarms]", "n": 3}], stream=screen)

    assert "[alarms]" in screen.getvalue()
    assert "─" in screen.getvalue()


def test_a_pipe_replaces_what_its_encoding_cannot_say():
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", newline="\n")
    Pipe(stream).write(["a–b"])

    stream.seek(0)
    assert stream.read() == "a?b\n"


def test_a_closed_pipe_ends_quietly():
    program = "import sys, time\nfrom headrace.terminal.live import view\nv = view()\nsys.stdin.readline()\n"
    program += "for _ in range(3): v.say('x' * 99)\nv.close()"
    source = str(Path(__file__).parents[3] / "src")
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": source},
    )
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None

    _, errors = process.communicate(b"\n", timeout=60)

    assert (process.returncode, errors) == (0, b"")
