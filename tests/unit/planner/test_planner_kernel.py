"""What goes together with windows of the kernel's, and what is said of them."""

from __future__ import annotations

from typing import Any

import pytest

import headrace as hr
from headrace.errors import Unsupported
from headrace.model.modes import Mode
from headrace.plan.nodes import Node
from headrace.planner.check import check
from headrace.planner.explain import explain
from headrace.planner.physical import plan
from headrace.planner.support import support
from headrace.streams.stream import Stream

SECOND, MINUTE = hr.tumbling("1 s"), hr.tumbling("1 m")


def keeps_state(node: Node) -> bool:
    return support(node).state


@pytest.fixture
def app() -> hr.App:
    return hr.App("job")


@pytest.fixture
def rows(app: hr.App) -> Stream:
    schema = "id string, n int, t timestamp"
    return app.read(hr.files("in", "json", schema=schema), event_time="t")


def write(stream: Any, output: str | None = None) -> None:
    stream.write(hr.memory(), output=output)


APART = "keeps state in Spark's own operator, and a window of this stream in the kernel; one query cannot run both"
KERNEL_TOO = "leave late='drop' out, so that this window runs on the kernel too"
ALL_TIME = "write .window(hr.all_time()).agg(…), which runs on the kernel"
TOPIC = "write the first result to a topic and read it in a second app"
COMPLETE = "a window of the kernel's gives its final or its changed rows, not the complete result"
REFUSED: dict[str, tuple[Any, str, str]] = {
    "an aggregate over a window": (
        lambda s: write(s.window(SECOND).agg(n="count(*)").agg(m="max(n)")), f"'aggregate' {APART}", ALL_TIME,
    ),
    "a window over an aggregate": (
        lambda s: write(s.key_by("t").agg(n="count(*)").window(SECOND).agg(m="max(n)")),
        f"'aggregate' {APART}", ALL_TIME,
    ),
    "a reduce over late rows": (
        lambda s: write(s.window(SECOND).agg(n="count(*)").late.key_by("id").reduce(max)),
        f"'reduce' {APART}", TOPIC,
    ),
    "Spark's window over the kernel's": (
        lambda s: write(s.window(SECOND).agg(n="count(*)").window(MINUTE, late="drop").agg(n="sum(n)")),
        f"'window' {APART}", KERNEL_TOO,
    ),
    "complete": (
        lambda s: write(s.window(SECOND, lateness="1 s").agg(n="count(*)"), "complete"), COMPLETE,
        "write output='update'; or say late='drop' and name neither lateness nor trigger:"
        " Spark's own operator runs such a window, and can",
    ),
    "complete of a count window": (
        lambda s: write(s.window(hr.count(3)).agg(n="count(*)"), "complete"), COMPLETE, "write output='update'",
    ),
    "complete of ingestion time": (
        lambda s: write(s.window(hr.tumbling("1 s", on="ingestion")).agg(n="count(*)"), "complete"),
        COMPLETE, "write output='update'",
    ),
    "append of all time": (
        lambda s: write(s.window(hr.all_time()).agg(n="count(*)"), "append"),
        "all_time() has no final rows to append",
        "write output='update', or hand on what is new: .trigger(hr.every('1 minute'), hr.discarding)",
    ),
    "files of all time": (
        lambda s: s.window(hr.all_time()).agg(n="count(*)").write(hr.files("out", "json")),
        "'out' cannot be written so: json files in out takes append, not update",
        "all_time() is never final; hand on what is new: .trigger(hr.every('1 minute'), hr.discarding)",
    ),
    "files of panes": (
        lambda s: s.window(SECOND).trigger(hr.each_row()).agg(n="count(*)").write(hr.files("out", "json")),
        "'out' cannot be written so: json files in out takes append, not update",
        "hand on what is new in each pane: .trigger(…, hr.discarding); "
        "or leave the trigger out, and each window is written once",
    ),
    "files of changes": (
        lambda s: s.window(SECOND).agg(n="count(*)").write(hr.files("out", "json"), output="update"),
        "'out' cannot be written so: json files in out takes append, not update",
        "write it with output='append'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("say, message, hint", REFUSED.values(), ids=REFUSED)
def test_what_does_not_go_together(app: hr.App, rows: Stream, say: Any, message: str, hint: str) -> None:
    say(rows)
    with pytest.raises(Unsupported) as caught:
        check(app.job, Mode.MICRO_BATCH, keeps_state)
    assert (caught.value.message, caught.value.hint) == (message, hint)
    assert caught.value.origin is not None and caught.value.origin.file == __file__


FINE: dict[str, Any] = {
    "a window": lambda s: write(s.window(SECOND).agg(n="count(*)")),
    "processing time": lambda s: write(s.window(hr.tumbling("1 s", on="processing")).agg(n="count(*)")),
    "ingestion time": lambda s: write(s.window(hr.tumbling("1 s", on="ingestion"), late="drop").agg(n="sum(n)")),
    "changed sessions": lambda s: write(s.window(hr.session("1 s")).agg(n="count(*)"), "update"),
    "a chain": lambda s: write(s.window(SECOND).agg(n="count(*)").window(MINUTE).agg(n="sum(n)")),
    "a chain that changes": lambda s: write(
        s.window(SECOND).agg(n="count(*)").window(MINUTE).agg(n="sum(n)"), "update"
    ),
    "late rows": lambda s: write(s.window(hr.all_time()).agg(n="count(*)").late),
    "windows of late rows": lambda s: write(s.window(SECOND).agg(n="sum(n)").late.window(MINUTE).agg(n="sum(n)")),
    "all time, what is new": lambda s: write(
        s.window(hr.all_time()).trigger(hr.every("1 s"), hr.discarding).agg(n="count(*)")
    ),
    "apply": lambda s: write(s.window(hr.count(3)).apply(max, "m int")),
}  # fmt: skip


@pytest.mark.parametrize("say", FINE.values(), ids=FINE)
def test_what_goes_together(app: hr.App, rows: Stream, say: Any) -> None:
    say(rows)
    check(app.job, Mode.MICRO_BATCH, keeps_state)


@pytest.mark.parametrize("name", [name for name in REFUSED if "files" not in name])
def test_a_batch_run_knows_no_such_rules(app: hr.App, rows: Stream, name: str) -> None:
    REFUSED[name][0](rows)
    check(app.job, Mode.BATCH, keeps_state)


def noted(app: hr.App, mode: Mode = Mode.MICRO_BATCH) -> list[str]:
    """What is said of each step, without the line that it is on."""
    notes = explain(plan(app.job, mode, keeps_state)).content["notes"]
    assert all("test_planner_kernel.py:" in note for note in notes)
    return [note.split("): ", 1)[1] for note in notes]


def test_when_a_window_tells_and_when_it_closes(app: hr.App, rows: Stream) -> None:
    write(rows.window(SECOND).agg(n="count(*)"))
    assert noted(app) == [
        "tells its results at watermark, once a window",
        "closes at its end; later rows are in .late, which nothing writes",
    ]


def test_a_trigger_accumulation_and_lateness_are_told(app: hr.App, rows: Stream) -> None:
    trigger = hr.at_watermark(early=hr.every("30 s"), late=hr.each_row())
    counts = rows.window(SECOND, lateness="5 minutes").trigger(trigger, hr.retracting).agg(n="count(*)")
    write(counts)
    write(counts.late)
    assert noted(app) == [
        "tells its results at watermark (early every 30 seconds; late each row), retracting",
        "closes 5 minutes after its end; later rows are in .late",
    ]
    text = explain(plan(app.job, Mode.MICRO_BATCH, keeps_state)).text()
    assert "the kernel's windows" in text and "filter of the kernel's rows" in text
    assert "late each row), retracting" in text


def test_what_is_dropped_and_what_is_never_late(app: hr.App, rows: Stream) -> None:
    write(rows.window(SECOND, lateness="1 s", late="drop").agg(n="count(*)"), "update")
    write(rows.window(hr.count(3)).agg(n="count(*)"))
    assert noted(app) == [
        "tells its results at watermark (late each row), accumulating",
        "closes 1 second after its end; later rows are dropped and counted, as late='drop' says",
        "tells its results at watermark, once a window",
    ]


def test_panes_that_are_rows_of_the_next_window(app: hr.App, rows: Stream) -> None:
    seconds = rows.window(SECOND).trigger(hr.each_row()).agg(n="count(*)")
    write(seconds.window(MINUTE, late="drop", lateness="1 s").agg(n="sum(n)"))
    warning = noted(app)[-1]
    assert warning.startswith("takes each pane of the window at ")
    assert warning.endswith(
        "for a row, changed ones too; write output='append' for final ones alone, or discard there: hr.discarding"
    )


def test_windows_run_in_real_time(app: hr.App) -> None:
    rows = app.read(hr.kafka("in", value=hr.json("id string, t timestamp")), event_time="t")
    counts = rows.key_by("id").window(SECOND).agg(n="count(*)")
    counts.window(MINUTE).agg(n="sum(n)").write(hr.kafka("out"))
    assert explain(plan(app.job, Mode.REAL_TIME, keeps_state)).content["real_time"]["possible"]


def test_a_function_over_windows_does_not_run_in_real_time(app: hr.App) -> None:
    rows = app.read(hr.kafka("in", value=hr.json("id string, t timestamp")), event_time="t")
    rows.window(SECOND).apply(max, "m int").write(hr.kafka("out"))
    reasons = explain(plan(app.job, Mode.MICRO_BATCH, keeps_state)).content["real_time"]["reasons"]
    assert [reason["reason"] for reason in reasons] == [
        "Spark's real-time mode hands rows to no Python function"
    ]
