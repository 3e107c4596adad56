"""Windows and triggers on a stream: what runs where, what results are called, and what makes no sense."""

from __future__ import annotations

from typing import Any

import pytest

import headrace as hr
from headrace.errors import (
    HeadraceError,
    InvalidDuration,
    InvalidExpression,
    InvalidOption,
    InvalidSchema,
    InvalidTrigger,
    InvalidWindow,
    Unsupported,
)
from headrace.model.windows._window import Window
from headrace.plan import nodes
from headrace.streams.stream import Stream
from headrace.streams.windowed import WindowResult

MINUTE = hr.tumbling("1 minute")
EARLY = hr.at_watermark(early=hr.every("30 seconds"))


@pytest.fixture
def app() -> hr.App:
    return hr.App("job")


@pytest.fixture
def rows(app: hr.App) -> Stream:
    return app.read(hr.files("in", "json", schema="id string, n int, t timestamp"), event_time="t")


def counts(stream: Any, window: Window = MINUTE, trigger: Any = None, **how: Any) -> WindowResult:
    cut = stream.key_by("id").window(window, **how)
    cut = cut.trigger(*trigger) if trigger else cut
    result: WindowResult = cut.agg(n="count(*)")
    return result


def kernel_of(result: Stream) -> nodes.KernelWindow:
    results: Any = result._node
    assert isinstance(results, nodes.Results)
    return results.input


SPARKS = [
    MINUTE,
    hr.sliding("1 minute", every="1 s"),
    hr.session("1 s"),
    hr.tumbling("1 s", on="processing"),
]
KERNELS = [
    hr.tumbling("1 s", on="ingestion"),
    hr.cumulative("1 s", "1 minute"),
    hr.trailing("1 s"),
    hr.count(3),
    hr.delta("n", 2),
    hr.punctuated(end="n = 0"),
    hr.all_time(),
]


@pytest.mark.parametrize("window", SPARKS, ids=lambda window: window.text)
def test_what_drops_late_rows_runs_on_sparks_own_operator(rows: Stream, window: Window) -> None:
    assert isinstance(counts(rows, window, late="drop")._node, nodes.WindowAggregate)
    assert kernel_of(counts(rows, window)).late is None
    assert kernel_of(counts(rows, window, (hr.each_row(),), late="drop")).late == "drop"


@pytest.mark.parametrize("window", KERNELS, ids=lambda window: window.text)
def test_windows_that_spark_does_not_have_run_on_the_kernel(rows: Stream, window: Window) -> None:
    assert kernel_of(counts(rows, window, late="drop")).window == window


def test_what_a_window_keeps(rows: Stream) -> None:
    cut = (
        rows.key_by("id", half="n / 2")
        .window(MINUTE, lateness="5 minutes")
        .trigger(EARLY, hr.retracting)
    )  # fmt: skip
    node = kernel_of(cut.agg(n="count(*)", most="max(n)"))
    assert (node.lateness, node.late, node.trigger, str(node.accumulation)) == (
        300_000_000, None, EARLY, "retracting",
    )  # fmt: skip
    assert [str(one) for one in (*node.keys, *node.aggregates)] == [
        "id", "half = n / 2", "n = count(*)", "most = max(n)",
    ]  # fmt: skip
    assert (
        node.window_origin is not None and node.window_origin.code == '.window(MINUTE, lateness="5 minutes")'
    )
    assert node.trigger_origin is not None and node.trigger_origin.code == ".trigger(EARLY, hr.retracting)"
    assert node.origin is not None and "cut.agg" in node.origin.code
    assert node.pane_columns == ("window", "op", "pane")
    assert repr(cut).startswith("WindowedStream(tumbling 1 minute of read")


def test_columns_between_keys_and_aggregates(rows: Stream) -> None:
    assert kernel_of(counts(rows)).pane_columns == ("window",)
    assert kernel_of(counts(rows, hr.all_time())).pane_columns == ()
    assert kernel_of(counts(rows, MINUTE, (hr.each_row(),))).pane_columns == ("window", "pane")


def test_windows_of_the_kernel_say_themselves(rows: Stream) -> None:
    said = "by id: tumbling 1 minute: n = count(*)"
    assert str(kernel_of(counts(rows))) == f"window {said}"
    assert str(kernel_of(counts(rows, lateness="5 minutes", late="drop"))) == (
        f"window {said} (lateness 5 minutes, late: drop)"
    )
    node = kernel_of(counts(rows, MINUTE, (EARLY, "discarding"), lateness="5 minutes"))
    assert str(node) == (
        f"window {said} (at watermark (early every 30 seconds), discarding, lateness 5 minutes)"
    )
    assert str(counts(rows)._node) == "results of tumbling 1 minute"
    assert str(counts(rows).late._node) == "late for tumbling 1 minute"


def test_what_must_stay_the_same_for_state_to_stay_valid(rows: Stream) -> None:
    def state(**how: Any) -> str:
        return kernel_of(counts(rows, **how)).state_text

    same = state()
    assert same == "window by id: tumbling 1 minute: n = count(*)"
    assert state(lateness="5 minutes") == state(lateness="1 s", trigger=None) == same
    assert state(trigger=(EARLY,)) != same
    assert state(trigger=(EARLY,)) != state(trigger=(EARLY, hr.discarding))
    assert state(trigger=(EARLY,)) == state(trigger=(EARLY,), late="drop", lateness="1 s")
    assert state(window=hr.tumbling("2 minutes")) != same
    assert state(window=hr.count(3)) == state(window=hr.count(3), ttl="1 hour")
    assert kernel_of(rows.window(MINUTE).agg(n="count(*)")).state_text != same
    assert kernel_of(rows.key_by("id").window(MINUTE).agg(n="sum(n)")).state_text != same


def test_late_rows_are_of_the_same_window(rows: Stream) -> None:
    result = counts(rows)
    late: Any = result.late._node
    assert isinstance(late, nodes.Late) and late.input is kernel_of(result)
    assert type(result.late) is Stream


@pytest.mark.parametrize("how", [{}, {"trigger": (hr.each_row(),)}])
def test_rows_that_are_dropped_are_no_stream(rows: Stream, how: Any) -> None:
    with pytest.raises(Unsupported) as caught:
        counts(rows, late="drop", **how).late  # noqa: B018
    assert caught.value.message == "the window drops its late rows, as late='drop' says"
    assert caught.value.hint == "leave late='drop' out, and they are a stream"


def test_only_a_windows_own_result_has_late_rows(rows: Stream) -> None:
    with pytest.raises(AttributeError, match=r"only what \.window\(…\)\.agg\(…\) gives has late rows"):
        counts(rows).where("n > 1").late  # noqa: B018


def test_a_function_over_the_rows_of_a_window(rows: Stream) -> None:
    def middle(frame: Any) -> Any:
        return frame

    result = rows.key_by("id").window(MINUTE).apply(middle, "m double")
    node: Any = result._node
    assert str(node) == "apply middle to m double"
    assert isinstance(node, nodes.ApplyRows) and isinstance(node.input, nodes.Results)
    gathers = node.input.input
    assert [each.name for each in gathers.aggregates] == [nodes.ROWS]
    assert gathers.text == "by id: tumbling 1 minute: rows"
    assert result.late._node.input is gathers  # type: ignore[attr-defined]
    dropping: Any = rows.window(MINUTE, late="drop").apply(middle, "m double")._node
    assert isinstance(dropping.input, nodes.Results)


def test_what_form_a_function_takes_rows_in(rows: Stream) -> None:
    def by_name(table: pa.Table) -> pa.Table:  # type: ignore[name-defined]  # noqa: F821
        return table

    def by_type(table: Any) -> Any:
        return table

    def quoted(table: "pa.Table") -> Any:  # type: ignore[name-defined]  # noqa: F821, UP037
        return table

    def frame(frame: pd.DataFrame) -> pd.DataFrame:  # type: ignore[name-defined]  # noqa: F821
        return frame

    def form(function: Any) -> bool:
        node: Any = rows.window(MINUTE).apply(function, "m double")._node
        return bool(node.arrow)

    by_type.__annotations__["table"] = type("Table", (), {})
    assert form(by_name) and form(by_type) and form(quoted)
    assert not form(frame) and not form(lambda frame: frame) and not form(max)


OUTPUTS: dict[str, tuple[Any, str]] = {
    "no trigger": (lambda s: counts(s), "append"),
    "no trigger, further on": (lambda s: counts(s).where("n > 1"), "append"),
    "all time": (lambda s: counts(s, hr.all_time()), "update"),
    "all time, new rows": (
        lambda s: counts(s, hr.all_time(), (hr.every("1 s"), hr.discarding)),
        "append",
    ),
    "trigger": (lambda s: counts(s, trigger=(EARLY,)).select("n"), "update"),
    "plain trigger": (lambda s: counts(s, trigger=(hr.at_watermark(),)), "update"),
    "retracting": (lambda s: counts(s, trigger=(EARLY, hr.retracting)), "update"),
    "discarding": (lambda s: counts(s, trigger=(EARLY, hr.discarding)), "append"),
    "late rows": (lambda s: counts(s, trigger=(EARLY,)).late, "append"),
    "windows over windows": (lambda s: counts(counts(s)), "append"),
    "windows over panes": (lambda s: counts(counts(s, trigger=(EARLY,))), "update"),
    "apply": (
        lambda s: s.window(MINUTE).trigger(EARLY).apply(max, "m int"),
        "update",
    ),
}


@pytest.mark.parametrize("make, output", OUTPUTS.values(), ids=OUTPUTS)
def test_the_output_that_is_meant_when_none_is_said(
    app: hr.App, rows: Stream, make: Any, output: str
) -> None:
    make(rows).write(hr.memory())
    assert str(app.job.writes[0].output) == output


COMPLETE = "leave the trigger out, and the window tells its result when it is complete"
BY_ROWS = f"{COMPLETE}; or take one that goes by rows or the clock: hr.each_row(), hr.every('30 seconds')"
IN_TIME = "leave lateness out: no row is late for such a window"
REFUSED: dict[str, tuple[Any, type[HeadraceError], str, str]] = {
    "lateness of a count": (
        lambda s: counts(s, hr.count(3), lateness="1 s"), InvalidWindow,
        "lateness 1 second for 'count 3', which has no end in event time", IN_TIME,
    ),
    "lateness of a delta": (
        lambda s: counts(s, hr.delta("n", 1), lateness="1 s"), InvalidWindow,
        "lateness 1 second for 'delta 1 of n', which has no end in event time", IN_TIME,
    ),
    "lateness of a punctuated window": (
        lambda s: counts(s, hr.punctuated(end="n = 0"), lateness="1 s"), InvalidWindow,
        "lateness 1 second for 'punctuated end n = 0', which has no end in event time", IN_TIME,
    ),
    "lateness of all time": (
        lambda s: counts(s, hr.all_time(), lateness="1 s"), InvalidWindow,
        "lateness 1 second for 'all time', which has no end in event time", IN_TIME,
    ),
    "lateness of processing time": (
        lambda s: counts(s, hr.tumbling("1 s", on="processing"), lateness="1 s"), InvalidWindow,
        "lateness 1 second for 'tumbling 1 second of processing time', which has no end in event time", IN_TIME,
    ),
    "lateness without a unit": (
        lambda s: counts(s, lateness=5), InvalidDuration, "lateness 5 has no unit",
        "write '5 seconds', or a datetime.timedelta",
    ),
    "lateness below zero": (
        lambda s: counts(s, lateness="-1 s"), InvalidDuration, "lateness -1 second is negative",
        "give a length above zero, such as '10 seconds'",
    ),
    "ttl of a window that time ends": (
        lambda s: counts(s, ttl="1 hour"), InvalidWindow,
        "ttl 1 hour for 'tumbling 1 minute', which is freed when its time is over",
        "leave ttl out; lateness says how long the window waits for late rows",
    ),
    "ttl of processing time": (
        lambda s: counts(s, hr.session("1 s", on="processing"), ttl="1 hour"), InvalidWindow,
        "ttl 1 hour for 'session gap 1 second of processing time', which is freed when its time is over",
        "leave ttl out; lateness says how long the window waits for late rows",
    ),
    "ttl without a unit": (
        lambda s: counts(s, hr.count(3), ttl=5), InvalidDuration, "ttl 5 has no unit",
        "write '5 seconds', or a datetime.timedelta",
    ),
    "never": (
        lambda s: counts(s, trigger=(hr.never(),)), InvalidTrigger,
        "'never' can never fire, so that the window would tell nothing", COMPLETE,
    ),
    "no trigger": (
        lambda s: counts(s, trigger=("30 s",)), InvalidTrigger,
        ".trigger() was given '30 s', which is not a trigger", "give one: hr.each_row(), hr.every('30 seconds'), …",
    ),
    "not called": (
        lambda s: counts(s, trigger=(hr.each_row,)), InvalidTrigger,
        ".trigger() was given each_row, which is not a trigger", "call it: hr.each_row(…)",
    ),
    "two triggers": (
        lambda s: s.window(MINUTE).trigger(hr.each_row()).trigger(EARLY), InvalidTrigger,
        "the window has a trigger already: each row",
        "put several into one: hr.any_of(…), hr.all_of(…) or hr.in_order(…)",
    ),
    "accumulation": (
        lambda s: counts(s, trigger=(EARLY, "accumulate")), InvalidOption,
        "no accumulation 'accumulate'",
        "did you mean 'accumulating'? (the accumulations are: discarding, accumulating, retracting)",
    ),
    "at_watermark of a count": (
        lambda s: counts(s, hr.count(3), (hr.at_watermark(),)), InvalidTrigger,
        "at_watermark() for 'count 3', which has no end in event time", BY_ROWS,
    ),
    "at_watermark of all time": (
        lambda s: counts(s, hr.all_time(), (hr.any_of(hr.each_row(), EARLY),)), InvalidTrigger,
        "at_watermark() for 'all time', which has no end in event time", BY_ROWS,
    ),
    "at_watermark of processing time": (
        lambda s: counts(s, hr.session("1 s", on="processing"), (EARLY,)), InvalidTrigger,
        "at_watermark() for 'session gap 1 second of processing time', which has no end in event time", BY_ROWS,
    ),
    "apply no function": (
        lambda s: s.window(MINUTE).apply("f", "m int"), InvalidOption, "'f' is not a function",
        "give a function of a window's rows, a DataFrame",
    ),
    "apply no schema": (
        lambda s: s.window(MINUTE).apply(max, ""), InvalidSchema, "'' is not a schema",
        "write 'station_id string, value double', or give a pyspark StructType",
    ),
    "an aggregate called window": (
        lambda s: s.window(MINUTE).agg(window="count(*)"), InvalidExpression,
        "two columns of the result would be called 'window'",
        "give yours another name: .key_by(other='window'), or .agg(other=…)",
    ),
    "a key called window": (
        lambda s: counts(s).key_by("window").window(hr.tumbling("1 h"), late="drop").agg(n="sum(n)"),
        InvalidExpression, "two columns of the result would be called 'window'",
        "give yours another name: .key_by(other='window'), or .agg(other=…)",
    ),
    "an aggregate called as a key": (
        lambda s: s.key_by("id").window(MINUTE).apply(max, "id string"), InvalidExpression,
        "two columns of the result would be called 'id'",
        "give yours another name: .key_by(other='id'), or .agg(other=…)",
    ),
    "append of early panes": (
        lambda s: counts(s, trigger=(EARLY,)).write(hr.memory(), output="append"), Unsupported,
        "output='append' takes final panes alone, and the other panes of 'at watermark (early every 30 seconds)'"
        " would never leave",
        "write output='update'; or hand on what is new in each pane: .trigger(…, hr.discarding);"
        " or leave the trigger out",
    ),
    "append of early panes further up": (
        lambda s: counts(counts(s, trigger=(hr.each_row(),))).write(hr.memory(), output="append"), Unsupported,
        "output='append' takes final panes alone, and the other panes of 'each row' would never leave",
        "write output='update'; or hand on what is new in each pane: .trigger(…, hr.discarding);"
        " or leave the trigger out",
    ),
    "append of what is taken back": (
        lambda s: counts(s, trigger=(hr.at_watermark(), hr.retracting)).write(hr.memory(), output="append"),
        Unsupported, "output='append' takes final panes alone, and those are never taken back",
        "write output='update', or accumulate: hr.accumulating",
    ),
    "retraction from files": (
        lambda s: counts(s, trigger=(EARLY, hr.retracting)).where("n > 1").write(hr.files("out", "json")),
        Unsupported, "the window takes panes back, and json files in out cannot give up rows that it has",
        "name hr.accumulating or hr.discarding instead, or write to a sink that takes rows back:"
        " hr.kafka(…), hr.memory(), hr.console(), hr.foreach_batch(…)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("say, kind, message, hint", REFUSED.values(), ids=REFUSED)
def test_what_makes_no_sense(
    rows: Stream, say: Any, kind: type[HeadraceError], message: str, hint: str
) -> None:
    with pytest.raises(kind) as caught:
        say(rows)
    assert (caught.value.message, caught.value.hint) == (message, hint)
    assert caught.value.origin is not None and caught.value.origin.file == __file__


def test_what_takes_rows_back(rows: Stream) -> None:
    changes = counts(rows, trigger=(EARLY, hr.retracting))
    for sink in (hr.kafka("out"), hr.memory(), hr.console(), hr.foreach_batch(max)):
        changes.write(sink)
    changes.late.write(hr.files("late", "json"))
    counts(changes).write(hr.files("out", "json"), output="update")


def test_final_panes_and_panes_of_what_is_new_are_appended(app: hr.App, rows: Stream) -> None:
    counts(rows, trigger=(hr.at_watermark(),)).write(hr.files("a", "json"), output="append")
    counts(rows, trigger=(EARLY, hr.discarding)).write(hr.files("b", "json"))
    assert [str(write.output) for write in app.job.writes] == ["append", "append"]
