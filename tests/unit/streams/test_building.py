"""The fluent API: what can be said, what cannot, and that saying it runs nothing."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta
from typing import Any

import pytest

import headrace as hr
from headrace.errors import (
    HeadraceError,
    InvalidDuration,
    InvalidExpression,
    InvalidOption,
    InvalidWindow,
    NothingToRun,
    Unsupported,
)
from headrace.plan.nodes import all_nodes
from headrace.streams.keyed import KeyedStream
from headrace.streams.stream import Stream
from headrace.streams.windowed import WindowedStream

IN = hr.files("in", "json", schema="id string, n int, t timestamp")


@pytest.fixture
def app() -> hr.App:
    return hr.App("job")


@pytest.fixture
def rows(app: hr.App) -> Stream:
    return app.read(IN, event_time="t", delay="10 seconds", name="rows")


def test_every_verb_is_a_node_that_says_itself(app: hr.App, rows: Stream) -> None:
    def double(row: Any) -> Any:
        return row

    (
        rows.where("n > 1").select("id", "n", "t", m="n + 1").with_columns(x="n", y="m").with_column("z", "1")
        .drop("x", "y").rename(z="w").map(double, "id string, n int").flat_map(double, "id string, n int")
        .union(rows.select("id", "n")).sql("SELECT *\n FROM {stream}")
        .key_by("id", half="n / 2").agg(n="count(*)").write(hr.memory("m"), output="complete")
    )  # fmt: skip
    assert [str(node) for node in all_nodes(app.job)] == [
        "read json files in in",
        "where n > 1",
        "select id, n, t, m = n + 1",
        "with x = n, y = m",
        "with z = 1",
        "drop x, y",
        "rename z to w",
        "map double to id string, n int",
        "flat map double to id string, n int",
        "select id, n",
        "union",
        "sql SELECT * FROM {stream}",
        "aggregate by id, half = n / 2: n = count(*)",
        "write memory m (complete)",
    ]


def test_windows_and_reduce_say_themselves(rows: Stream) -> None:
    windowed = rows.key_by("id").window(hr.tumbling("1 minute"), late="drop")
    assert (
        str(windowed.agg(n="count(*)")._node) == "window by id: tumbling 1 minute: n = count(*) (late: drop)"
    )
    assert (
        str(rows.window(hr.session("5 s"), late="drop").agg(n="sum(n)")._node)
        == "window session gap 5 seconds: n = sum(n) (late: drop)"
    )
    assert str(rows.key_by("id").reduce(max)._node) == "reduce by id: max"
    assert str(rows.rejected._node) == "rejected rows of rows"
    assert repr(windowed).startswith("WindowedStream(tumbling 1 minute of read")
    assert repr(rows.key_by("id")) == "KeyedStream(read json files in in by id)"
    assert repr(rows) == "Stream(read json files in in)"


def test_a_verb_leaves_its_stream_as_it_is(rows: Stream) -> None:
    before = rows._node
    assert rows.where("n > 1")._node is not before
    assert rows._node is before


def test_each_node_remembers_its_line(rows: Stream) -> None:
    chained = (
        rows.where("n > 1")
        .drop("n")
    )  # fmt: skip
    node: Any = chained._node
    assert node.origin.code == '.drop("n")' and node.origin.file == __file__
    assert node.input.origin.code == 'rows.where("n > 1")'
    assert node.input.condition.origin.code == 'rows.where("n > 1")'


def test_the_phases_have_types(rows: Stream) -> None:
    assert isinstance(rows.key_by("id"), KeyedStream)
    assert isinstance(rows.key_by("id").window(hr.tumbling("1 s")), WindowedStream)
    assert isinstance(rows.key_by("id").window(hr.tumbling("1 s")).agg(n="count(*)"), Stream)
    assert not hasattr(KeyedStream, "where") and not hasattr(WindowedStream, "write")


def test_what_a_read_keeps(app: hr.App) -> None:
    node: Any = app.read(IN, event_time="t", delay=timedelta(seconds=1))._node
    assert (node.name, node.event_time, node.delay) == ("in", "t", 1_000_000)
    assert (node.idle, node.watermark) == (30_000_000, None)
    assert app.read(IN)._node.name == "in-2"  # type: ignore[attr-defined]
    marked: Any = app.read(IN, event_time="t", idle="1 minute", watermark="if(n = 0, t, NULL)")._node
    assert (marked.idle, str(marked.watermark)) == (60_000_000, "if(n = 0, t, NULL)")


def test_the_output_that_is_meant_when_none_is_said(app: hr.App, rows: Stream) -> None:
    rows.write(hr.memory("a"))
    rows.key_by("id").agg(n="count(*)").where("n > 1").write(hr.memory("b"))
    rows.key_by("id").reduce(max).write(hr.memory("c"))
    rows.window(hr.tumbling("1 s"), late="drop").agg(n="count(*)").write(hr.memory("d"))
    assert [str(write.output) for write in app.job.writes] == ["append", "update", "update", "append"]


def test_outputs_are_named_after_their_sinks(app: hr.App, rows: Stream) -> None:
    for sink in (hr.console(), hr.console(), hr.console(title="pages"), hr.files("out/x", "json")):
        rows.write(sink)
    rows.write(hr.memory("m"), name="mine")
    assert [write.name for write in app.job.writes] == ["console", "console-2", "pages", "out/x", "mine"]


REFUSED: dict[str, tuple[Any, type[HeadraceError], str]] = {
    "select()": (lambda s: s.select(), InvalidExpression, "select() was given no column"),
    "with_columns()": (lambda s: s.with_columns(), InvalidExpression, "with_columns() was given no column"),
    "drop()": (lambda s: s.drop(), InvalidOption, "drop() takes names of columns"),
    "drop(3)": (lambda s: s.drop(3), InvalidOption, "drop() takes names of columns"),
    "rename()": (lambda s: s.rename(), InvalidOption, "rename() was given no name"),
    "map": (lambda s: s.map("f", "a int"), InvalidOption, "'f' is not a function"),
    "reduce": (lambda s: s.key_by("id").reduce(3), InvalidOption, "3 is not a function"),
    "union()": (lambda s: s.union(), InvalidOption, "union() was given no other stream"),
    "union(3)": (lambda s: s.union(3), InvalidOption, "3 is not a stream"),
    "sql": (lambda s: s.sql("SELECT 1"), InvalidExpression, "the query does not read {stream}"),
    "key_by()": (lambda s: s.key_by(), InvalidExpression, "key_by() was given no key"),
    "agg()": (lambda s: s.key_by("id").agg(), InvalidExpression, "agg() was given no aggregate"),
    "window(3)": (lambda s: s.window("1 minute"), InvalidWindow, "'1 minute' is not a window"),
    "late": (
        lambda s: s.window(hr.tumbling("1 s"), late="keep"), InvalidOption,
        "late='keep' is not a way to treat late rows",
    ),
    "write(3)": (lambda s: s.write("topic"), InvalidOption, "str is not a sink"),
    "write(source)": (lambda s: s.write(hr.rate()), InvalidOption, "Rate is not a sink"),
    "rejected": (
        lambda s: s.where("n > 1").rejected, Unsupported,
        "only a stream that comes straight from app.read() has rejected rows",
    ),
}  # fmt: skip


@pytest.mark.parametrize("say, kind, message", REFUSED.values(), ids=REFUSED)
def test_what_makes_no_sense(rows: Stream, say: Any, kind: type[HeadraceError], message: str) -> None:
    with pytest.raises(kind) as caught:
        say(rows)
    assert caught.value.message == message
    assert caught.value.hint
    assert caught.value.origin is not None and caught.value.origin.file == __file__


def test_a_misspelt_verb(rows: Stream) -> None:
    with pytest.raises(AttributeError, match="Stream has no 'filtr'"):
        rows.filtr  # noqa: B018
    with pytest.raises(AttributeError, match=r"did you mean 'where'\?"):
        rows.were  # noqa: B018


def test_an_app_has_a_name() -> None:
    with pytest.raises(InvalidOption, match="'' is not a name"):
        hr.App("")


def test_reads_are_checked(app: hr.App) -> None:
    with pytest.raises(InvalidOption, match="int is not a Spark DataFrame"):
        app.read(3)  # type: ignore[arg-type]
    with pytest.raises(InvalidOption, match=r"event_time \['t'\] is not a column's name"):
        app.read(IN, event_time=["t"])  # type: ignore[arg-type]
    with pytest.raises(InvalidDuration, match="delay 5 has no unit"):
        app.read(IN, event_time="t", delay=5)  # type: ignore[arg-type]


BAD_WATERMARKS: dict[str, tuple[Any, type[HeadraceError], str, str]] = {
    "no event time": (
        lambda app: app.read(IN, watermark="t"), InvalidOption,
        "watermark 't' says how far event time has come, and no event_time is named",
        "name the column of event time too: app.read(…, event_time='ts', watermark=…)",
    ),
    "and a delay": (
        lambda app: app.read(IN, event_time="t", watermark="t", delay="1 s"), InvalidOption,
        "watermark= and delay= both say how far event time has come",
        "leave delay out; or take it off the watermark: watermark=\"mark - INTERVAL '10 seconds'\"",
    ),
    "not an expression": (
        lambda app: app.read(IN, event_time="t", watermark=3), InvalidExpression,
        "3 is neither a SQL string nor a Spark Column",
        "write SQL in quotes ('value > 3'), or pyspark.sql.functions (F.col('value') > 3)",
    ),
    "never idle": (
        lambda app: app.read(IN, event_time="t", idle="0 s"), InvalidDuration,
        "idle 0 microseconds is zero", "give a length above zero, such as '10 seconds'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("say, kind, message, hint", BAD_WATERMARKS.values(), ids=BAD_WATERMARKS)
def test_watermarks_are_checked(
    app: hr.App, say: Any, kind: type[HeadraceError], message: str, hint: str
) -> None:
    with pytest.raises(kind) as caught:
        say(app)
    assert (caught.value.message, caught.value.hint) == (message, hint)
    assert app.job.reads == []


def test_a_stream_of_no_app_is_written_by_nobody() -> None:
    class Frame:
        isStreaming, columns = True, ["a"]

    with pytest.raises(NothingToRun, match="the stream belongs to no app"):
        hr.stream(Frame()).write(hr.memory())  # type: ignore[arg-type]


BAD_SETTINGS: dict[str, tuple[Any, str]] = {
    "files format": (lambda: hr.files("in", "jsn"), "no file format 'jsn'"),
    "files text schema": (
        lambda: hr.files("in", "text", schema="a int"),
        "text files have one column, value",
    ),
    "kafka topic": (lambda: hr.kafka(""), "'' is not a topic"),
    "kafka metadata": (lambda: hr.kafka("t", metadata=["ofset"]), "no metadata 'ofset'"),
    "kafka start": (lambda: hr.kafka("t", start="begining"), "start 'begining' is not a moment in time"),
    "rate": (lambda: hr.rate(0), "rate(0, partitions=1) makes no rows"),
    "socket": (lambda: hr.socket("h", 0), "0 is not a port"),
    "foreach_batch": (lambda: hr.foreach_batch(3), "3 is not a function"),
}


@pytest.mark.parametrize("make, message", BAD_SETTINGS.values(), ids=BAD_SETTINGS)
def test_settings_of_connectors_are_checked_where_they_are_written(make: Any, message: str) -> None:
    with pytest.raises(HeadraceError) as caught:
        make()
    assert caught.value.message == message
    assert caught.value.hint


BUILD = """
import headrace as hr
app = hr.App("job")
rows = app.read(hr.kafka("t", value=hr.json("id string, t timestamp")), event_time="t")
counts = rows.where("id > 'a'").key_by("id").window(hr.tumbling("1 minute"), late="drop").agg(n="count(*)")
counts.write(hr.kafka("out"))
rows.rejected.write(hr.console())
from pyspark import SparkContext
import threading
assert SparkContext._gateway is None, "a JVM was started"
assert threading.active_count() == 1, threading.enumerate()
"""


def test_building_starts_no_jvm_and_contacts_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", BUILD], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_connector_and_a_window_need_no_spark() -> None:
    code = (
        "import sys, headrace as hr; hr.kafka('t', value=hr.json('a int')); hr.session('1 s'); hr.files('a', 'text');"
        "assert not [m for m in sys.modules if m.startswith(('pyspark', 'pandas', 'pyarrow'))]"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
