"""How process() is planned, explained, remembered and refused."""

from __future__ import annotations

from typing import Any

import pytest

import headrace as hr
from headrace.errors import Unsupported
from headrace.model.modes import Mode, Output
from headrace.plan.nodes import Node
from headrace.planner.check import check
from headrace.planner.explain import explain
from headrace.planner.physical import plan
from headrace.planner.support import support
from headrace.runtime.identity import Form, identity
from headrace.spark.queries import keys_of, spark_output
from headrace.streams.stream import Stream


def keeps_state(node: Node) -> bool:
    return support(node).state


@pytest.fixture
def app() -> hr.App:
    return hr.App("job")


@pytest.fixture
def rows(app: hr.App) -> Stream:
    return app.read(hr.kafka("rows", value=hr.json("id string, n int, t timestamp")), event_time="t")


def counting(row: Any, state: Any) -> Any:
    state.n = state.get("n", 0) + 1
    yield row.id, state.n


def counted(rows: Stream) -> Stream:
    return rows.key_by("id").process(counting, "id string, n long", state="n  long,\n last timestamp")


def test_explain_says_what_runs_it_and_why_not_in_real_time(app: hr.App, rows: Stream) -> None:
    counted(rows).write(hr.kafka("counts"))
    content = explain(plan(app.job, Mode.MICRO_BATCH, keeps_state)).content
    step = content["steps"][1]
    assert (step["step"], step["what"], step["runs_on"], step["kind"]) == (
        "process",
        "by id: counting to id string, n long (state: n long, last timestamp)",
        "Python over Arrow, many keys a call; the kernel's state",
        "state",
    )
    reasons = [(reason["step"], reason["reason"]) for reason in content["real_time"]["reasons"]]
    assert reasons == [(2, "Spark's real-time mode hands rows to no Python function")]
    with pytest.raises(
        Unsupported, match="cannot run in real time: Spark's real-time mode hands rows to no Python"
    ):
        plan(app.job, Mode.REAL_TIME, keeps_state)


def test_its_rows_are_new_ones(app: hr.App, rows: Stream) -> None:
    counted(rows).write(hr.memory("a"))
    counted(rows).write(hr.memory("u"), output="update")
    assert [write.output for write in app.job.writes] == [Output.APPEND, Output.UPDATE]
    queries = plan(app.job, Mode.MICRO_BATCH, keeps_state).queries
    assert [spark_output(query) for query in queries] == [Output.APPEND, Output.APPEND]
    assert [keys_of(write) for write in app.job.writes] == [[], []]


def test_a_checkpoint_remembers_the_state_and_not_the_function(app: hr.App, rows: Stream) -> None:
    counted(rows).write(hr.memory("a"))
    rows.key_by("id").process(lambda row, state: None, "x int", state="n long, last timestamp").write(
        hr.memory("b")
    )
    rows.key_by("id").process(lambda row, state: None, "x int").write(hr.memory("c"))
    queries = plan(app.job, Mode.MICRO_BATCH, keeps_state).queries
    states = [identity("job", query, keeps_state, Form())["state"] for query in queries]
    same = [{"state": "process by id, state: n long, last timestamp"}]
    assert states == [same, same, [{"state": "process by id, state: none"}]]


REFUSED: dict[str, tuple[Any, str, str]] = {
    "the complete result": (
        lambda s: counted(s).write(hr.memory(), output="complete"),
        "process() gives rows one by one, not the complete result",
        "write output='append', or 'update' where rows replace others",
    ),
    "Spark's aggregate behind it": (
        lambda s: counted(s).agg(m="max(n)").write(hr.memory()),
        "'aggregate' keeps state in Spark's own operator, and process() of this stream in the kernel; "
        "one query cannot run both",
        "write .window(hr.all_time()).agg(…), which runs on the kernel",
    ),
}


@pytest.mark.parametrize("make, message, hint", REFUSED.values(), ids=REFUSED)
def test_what_does_not_go_with_it(app: hr.App, rows: Stream, make: Any, message: str, hint: str) -> None:
    make(rows)
    with pytest.raises(Unsupported) as caught:
        check(app.job, Mode.MICRO_BATCH, keeps_state)
    assert (caught.value.message, caught.value.hint) == (message, hint)
