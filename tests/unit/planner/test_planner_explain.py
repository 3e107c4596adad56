"""How a job will run, as text, as data and as a picture; and what real time is refused for."""

from __future__ import annotations

import json

import pytest

import headrace as hr
from headrace.errors import Unsupported
from headrace.model.modes import Mode
from headrace.plan import nodes
from headrace.plan.nodes import Node
from headrace.planner.check import check
from headrace.planner.explain import Explained, explain
from headrace.planner.physical import plan
from headrace.planner.support import SUPPORT, support


def keeps_state(node: Node) -> bool:
    return support(node).state


def explained(app: hr.App, mode: Mode = Mode.MICRO_BATCH) -> Explained:
    return explain(plan(app.job, mode, keeps_state))


@pytest.fixture
def app() -> hr.App:
    made = hr.App("counts")
    rows = made.read(hr.kafka("views", value=hr.json("page string, t timestamp")), event_time="t")
    counts = rows.key_by("page").window(hr.tumbling("1 minute"), late="drop").agg(n="count(*)")
    counts.write(hr.memory("all"))
    counts.where("n > 3").write(hr.files("out", "json"))
    return made


def test_as_text(app: hr.App) -> None:
    text = explained(app).text()
    steps = [line.split("test_planner_explain.py:")[0].split() for line in text.splitlines()[:8]]
    assert [
        " ".join(step[:-1] if step[-1:] == ["tests/unit/planner/"] else step) for step in steps
    ] == EXPECTED
    rest = text[text.index("Queries") :]
    assert rest.startswith(
        "Queries (1)\n"
        "  all, fed from step 2\n"
        "    all to memory all (append): at-most-once, as memory all is gone when the process ends\n"
        "    out to json files in out (append): exactly-once, as json files in out are listed by batch, each once\n"
        "\nReal time\n  not possible:\n"
    )
    assert "feeds one sink a query" in rest
    assert "rows later than Spark's watermark are dropped, as late='drop' says" in rest.splitlines()[-1]


EXPECTED = [
    "counts in micro-batch",
    "",
    "Steps",
    "1 read kafka topic views (json) Spark's source",
    "2 window by page: tumbling 1 minute: n = count(*) (late: drop) Spark's window aggregation",
    "3 write memory all (append) each batch, kept once for all its sinks",
    "4 where n > 3 Spark filter",
    "5 write json files in out (append) each batch, kept once for all its sinks",
]


def test_as_data(app: hr.App) -> None:
    content = explained(app).content
    assert json.loads(json.dumps(content)) == content
    assert [(step["id"], step["step"], step["kind"], step["keeps_state"]) for step in content["steps"]] == [
        (1, "read", "source", False),
        (2, "window", "state", True),
        (3, "write", "sink", False),
        (4, "where", "step", False),
        (5, "write", "sink", False),
    ]
    assert content["edges"] == [[1, 2], [2, 3], [2, 4], [4, 5]]
    assert [query["cut"] for query in content["queries"]] == [2]
    assert all(step["at"]["file"].endswith("test_planner_explain.py") for step in content["steps"])
    assert content["real_time"]["possible"] is False


def test_as_mermaid(app: hr.App) -> None:
    assert explained(app).mermaid() == "\n".join(
        [
            "flowchart TD",
            '  n1(["read kafka topic views (json)"])',
            '  n2[["window by page: tumbling 1 minute: n = count(*) (late: drop)"]]',
            '  n3[/"write memory all (append)"/]',
            '  n4["where n > 3"]',
            '  n5[/"write json files in out (append)"/]',
            "  n1 --> n2",
            "  n2 --> n3",
            "  n2 --> n4",
            "  n4 --> n5",
        ]
    )


def test_a_quote_does_not_break_mermaid() -> None:
    app = hr.App("q")
    app.read(hr.rate()).where('value = "x"').write(hr.memory())
    assert 'n2["where value = #quot;x#quot;"]' in explained(app).mermaid()


def test_a_batch_run_promises_and_notes_other_things(app: hr.App) -> None:
    content = explained(app, Mode.BATCH).content
    assert {step["runs_on"] for step in content["steps"] if step["kind"] == "sink"} == {"written once"}
    assert content["notes"][0].endswith("a batch run has no watermark, so no row is late in it")


def test_the_weakest_part_sets_the_promise() -> None:
    app = hr.App("q")
    app.read(hr.socket("h", 9)).write(hr.files("out", "text"))
    output = explained(app).content["queries"][0]["outputs"][0]
    assert (output["guarantee"], output["because"]) == ("at-most-once", "socket h:9 cannot replay")


def test_a_job_that_can_run_in_real_time() -> None:
    app = hr.App("q")
    app.read(hr.kafka("a")).where("value > 'x'").write(hr.kafka("b"))
    assert explained(app, Mode.REAL_TIME).content["real_time"] == {"possible": True, "reasons": []}
    assert "Real time\n  possible" in explained(app).text()


def test_every_reason_against_real_time_is_told() -> None:
    app = hr.App("q")
    rows = app.read(hr.kafka("a", value=hr.json("id string, t timestamp")), event_time="t")
    rows.map(lambda row: (row.id,), "id string").key_by("id").reduce(max).write(hr.memory("m"))
    rows.window(hr.session("1 s"), late="drop").agg(n="count(*)").write(hr.kafka("b"))
    reasons = [reason["reason"] for reason in explained(app).content["real_time"]["reasons"]]
    assert reasons == [
        "Spark's real-time mode hands rows to no Python function",
        "Spark's real-time mode hands rows to no Python function",
        "Spark's real-time mode writes to Kafka and the console alone",
        "Spark's session windows give final results alone, and its real-time mode gives changed ones alone",
        "Spark's real-time mode gives changed rows alone, not append",
    ]


def test_the_table_has_a_row_for_every_kind_of_node() -> None:
    assert set(SUPPORT) == set(nodes.Node.__subclasses__())


def refusal(app: hr.App, mode: Mode = Mode.MICRO_BATCH) -> str:
    with pytest.raises(Unsupported) as caught:
        check(app.job, mode, keeps_state)
    assert caught.value.hint
    assert caught.value.origin is not None and caught.value.origin.file == __file__
    return caught.value.message


@pytest.mark.parametrize("kind", ["append", "update"])
def test_windows_of_processing_time_on_sparks_own_operator(kind: str) -> None:
    app = hr.App("q")
    rows = app.read(hr.rate(), event_time="timestamp")
    counts = rows.window(hr.tumbling("1 s", on="processing"), late="drop").agg(n="count(*)")
    counts.write(hr.memory(), output=kind)
    if kind == "append":
        assert refusal(app) == "Spark never calls a window of processing time final"
    else:
        check(app.job, Mode.MICRO_BATCH, keeps_state)


def test_sparks_own_sessions_do_not_change() -> None:
    app = hr.App("q")
    rows = app.read(hr.rate(), event_time="timestamp")
    rows.window(hr.session("1 s"), late="drop").agg(n="count(*)").write(hr.memory(), output="update")
    assert refusal(app) == "Spark gives session windows when they are final, not while they change"


def test_a_chain_of_windows_is_fine_where_rows_are_final() -> None:
    app = hr.App("q")
    rows = app.read(hr.rate(), event_time="timestamp")
    seconds = rows.window(hr.tumbling("1 s"), late="drop").agg(n="count(*)")
    seconds.window(hr.tumbling("1 m"), late="drop").agg(n="sum(n)").write(hr.memory())
    check(app.job, Mode.MICRO_BATCH, keeps_state)


def test_batch_needs_no_word_on_late_rows_nor_on_outputs() -> None:
    app = hr.App("q")
    rows = app.read(hr.files("in", "json", schema="t timestamp"), event_time="t")
    rows.window(hr.tumbling("1 s")).agg(n="count(*)").write(hr.files("out", "json"))
    check(app.job, Mode.BATCH, keeps_state)
