"""Which outputs share a query, and up to which node it runs."""

from __future__ import annotations

import pytest

import headrace as hr
from headrace.plan.nodes import KernelWindow, Node, Sql
from headrace.planner.divide import divide
from headrace.planner.support import support
from headrace.streams.stream import Stream


def keeps_state(node: Node) -> bool:
    return support(node).state or (isinstance(node, Sql) and "GROUP BY" in node.query)


@pytest.fixture
def app() -> hr.App:
    return hr.App("job")


@pytest.fixture
def rows(app: hr.App) -> Stream:
    return app.read(hr.files("in", "json", schema="id string, n int, t timestamp"), event_time="t")


def queries(app: hr.App, *, together: bool = True) -> list[tuple[list[str], str]]:
    return [
        ([write.name for write in query.writes], str(query.cut))
        for query in divide(app.job.writes, keeps_state, together=together)
    ]


def test_one_output_is_one_query_up_to_its_end(app: hr.App, rows: Stream) -> None:
    rows.where("n > 1").write(hr.memory("a"))
    assert queries(app) == [(["a"], "where n > 1")]


def test_stateless_outputs_of_one_source_share_the_read(app: hr.App, rows: Stream) -> None:
    rows.where("n > 1").write(hr.memory("a"))
    rows.select("id").write(hr.memory("b"))
    assert queries(app) == [(["a", "b"], "read json files in in")]


def test_the_cut_is_the_last_node_that_all_pass(app: hr.App, rows: Stream) -> None:
    big = rows.where("n > 1").with_columns(m="n * 2")
    big.select("id").write(hr.memory("a"))
    big.where("m > 9").write(hr.memory("b"))
    big.write(hr.memory("c"))
    assert queries(app) == [(["a", "b", "c"], "with m = n * 2")]


def test_outputs_of_one_aggregate_share_it(app: hr.App, rows: Stream) -> None:
    counts = rows.key_by("id").window(hr.tumbling("1 s"), late="drop").agg(n="count(*)")
    counts.where("n > 3").write(hr.memory("many"))
    counts.write(hr.memory("all"))
    assert queries(app) == [(["many", "all"], "window by id: tumbling 1 second: n = count(*) (late: drop)")]


def test_rows_before_a_state_and_after_it_are_two_queries(app: hr.App, rows: Stream) -> None:
    rows.write(hr.memory("rows"))
    rows.window(hr.tumbling("1 s"), late="drop").agg(n="count(*)").write(hr.memory("counts"))
    assert [names for names, _cut in queries(app)] == [["rows"], ["counts"]]


def test_two_states_are_two_queries_even_over_the_same_rows(app: hr.App, rows: Stream) -> None:
    rows.key_by("id").agg(n="count(*)").write(hr.memory("a"))
    rows.key_by("n").agg(n="count(*)").write(hr.memory("b"))
    assert [names for names, _cut in queries(app)] == [["a"], ["b"]]


def test_a_state_after_a_shared_state_has_its_own_query(app: hr.App, rows: Stream) -> None:
    seconds = rows.key_by("id").window(hr.tumbling("1 s"), late="drop").agg(n="count(*)")
    seconds.write(hr.memory("seconds"))
    seconds.window(hr.tumbling("1 m"), late="drop").agg(n="sum(n)").write(hr.memory("minutes"))
    seconds.where("n > 1").write(hr.memory("some"))
    assert [names for names, _cut in queries(app)] == [["seconds", "some"], ["minutes"]]


def test_sql_that_keeps_state_counts_as_state(app: hr.App, rows: Stream) -> None:
    rows.write(hr.memory("a"))
    rows.sql("SELECT id FROM {stream}").write(hr.memory("b"))
    rows.sql("SELECT id, count(*) FROM {stream} GROUP BY id").write(hr.memory("c"))
    assert [names for names, _cut in queries(app)] == [["a", "b"], ["c"]]


def test_outputs_in_different_modes_are_different_queries(app: hr.App, rows: Stream) -> None:
    counts = rows.key_by("id").agg(n="count(*)")
    counts.write(hr.memory("changed"))
    counts.write(hr.memory("all"), output="complete")
    counts.write(hr.memory("changed too"))
    assert [names for names, _cut in queries(app)] == [["changed", "changed too"], ["all"]]


def test_a_union_is_shared_as_a_whole(app: hr.App, rows: Stream) -> None:
    other = app.read(hr.files("more", "json", schema="id string, n int, t timestamp"))
    both = rows.union(other)
    both.where("n > 1").write(hr.memory("a"))
    both.select("id").write(hr.memory("b"))
    assert queries(app) == [(["a", "b"], "union")]


def test_a_union_and_one_of_its_sides_are_not_closed_by_either(app: hr.App, rows: Stream) -> None:
    other = app.read(hr.files("more", "json", schema="id string, n int, t timestamp"))
    rows.union(other).write(hr.memory("both"))
    rows.write(hr.memory("one"))
    assert [names for names, _cut in queries(app)] == [["both"], ["one"]]


def test_two_sources_are_two_queries(app: hr.App, rows: Stream) -> None:
    rows.write(hr.memory("a"))
    app.read(hr.rate()).write(hr.memory("b"))
    assert [names for names, _cut in queries(app)] == [["a"], ["b"]]


def test_rejected_rows_are_not_among_the_rows_that_were_read(app: hr.App, rows: Stream) -> None:
    rows.write(hr.memory("good"))
    rows.rejected.write(hr.memory("bad"))
    rows.rejected.select("reason").write(hr.memory("reasons"))
    assert next(names for names, _cut in queries(app)) == ["good"]
    assert "read json files in in" not in [cut for names, cut in queries(app) if "bad" in names]


def test_sharing_can_be_left_out(app: hr.App, rows: Stream) -> None:
    rows.write(hr.memory("a"))
    rows.write(hr.memory("b"))
    assert [names for names, _cut in queries(app, together=False)] == [["a"], ["b"]]


def test_results_and_late_rows_of_a_window_share_it(app: hr.App, rows: Stream) -> None:
    counts = rows.key_by("id").window(hr.tumbling("1 s")).agg(n="count(*)")
    counts.where("n > 3").write(hr.memory("many"))
    counts.late.write(hr.memory("late"))
    counts.write(hr.memory("all"))
    counts.late.where("n = 1").write(hr.memory("some late"))
    assert queries(app) == [
        (["many", "late", "all", "some late"], "window by id: tumbling 1 second: n = count(*)")
    ]


def test_late_rows_come_along_in_any_output_mode(app: hr.App, rows: Stream) -> None:
    counts = rows.window(hr.tumbling("1 s")).trigger(hr.at_watermark(late=hr.each_row())).agg(n="count(*)")
    counts.late.write(hr.files("late", "json"))
    counts.write(hr.memory("changed"))
    assert [str(write.output) for write in app.job.writes] == ["append", "update"]
    (query,) = divide(app.job.writes, keeps_state)
    assert (query.name, str(query.output), isinstance(query.cut, KernelWindow)) == ("late", "update", True)


def test_late_rows_alone_are_appended(app: hr.App, rows: Stream) -> None:
    late = rows.window(hr.tumbling("1 s")).agg(n="count(*)").late
    late.write(hr.memory("a"))
    late.where("n > 1").write(hr.memory("b"), output="update")
    (query,) = divide(app.job.writes, keeps_state)
    assert str(query.output) == "append"
    assert str(query.cut) == "late for tumbling 1 second"


def test_results_in_two_output_modes_are_two_queries(app: hr.App, rows: Stream) -> None:
    counts = rows.window(hr.tumbling("1 s")).agg(n="count(*)")
    counts.write(hr.memory("final"))
    counts.write(hr.memory("changed"), output="update")
    counts.late.write(hr.memory("late"))
    found = divide(app.job.writes, keeps_state)
    assert [([write.name for write in query.writes], str(query.output)) for query in found] == [
        (["final", "late"], "append"),
        (["changed"], "update"),
    ]


def test_a_window_over_a_window_has_its_own_query(app: hr.App, rows: Stream) -> None:
    seconds = rows.window(hr.tumbling("1 s")).agg(n="count(*)")
    minutes = seconds.window(hr.tumbling("1 m")).agg(n="sum(n)")
    minutes.write(hr.memory("minutes"))
    minutes.late.write(hr.memory("late minutes"))
    seconds.late.write(hr.memory("late seconds"))
    assert queries(app) == [
        (["minutes", "late minutes"], "window tumbling 1 minute: n = sum(n)"),
        (["late seconds"], "late for tumbling 1 second"),
    ]


def test_late_rows_and_rows_of_another_kind_together(app: hr.App, rows: Stream) -> None:
    """A union with late rows has rows that depend on the output mode, if one of its sides does."""
    counts = rows.window(hr.tumbling("1 s")).agg(n="count(*)")
    both = counts.late.select("n").union(counts.select("n"))
    both.write(hr.memory("both"), output="update")
    counts.write(hr.memory("final"))
    assert [names for names, _cut in queries(app)] == [["both"], ["final"]]
