"""What a checkpoint remembers of its job, and what may change without losing it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import headrace as hr
from headrace.errors import CheckpointMismatch
from headrace.plan.nodes import Node
from headrace.planner.divide import Query, divide
from headrace.planner.support import support
from headrace.runtime.checkpoint import Checkpoints, root_of, safe
from headrace.runtime.identity import Form, identity
from headrace.settings import Project


def keeps_state(node: Node) -> bool:
    return support(node).state


class Memory:
    """Files in a dict."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}

    def read(self, path: str) -> str | None:
        return self.files.get(path)

    def write(self, path: str, text: str) -> None:
        self.files[path] = text

    def exists(self, path: str) -> bool:
        return path in self.files


def query(path: str = "in", key: str = "id", keep: str = "n > 1", name: str = "m") -> Query:
    app = hr.App("job")
    rows = app.read(hr.files(path, "json", schema="id string, n int"))
    rows.where(keep).key_by(key).agg(n="count(*)").where("n > 2").write(hr.memory(), name=name)
    return divide(app.job.writes, keeps_state)[0]


def places(storage: Memory, app: str = "job") -> Checkpoints:
    return Checkpoints("/c", app, storage, keeps_state)  # type: ignore[arg-type]


def test_what_is_remembered() -> None:
    assert identity("job", query(), keeps_state, Form()) == {
        "format": 2,
        "app": "job",
        "query": "m",
        "sources": [{"source": "files", "address": "in"}],
        "state": [{"state": "aggregate by id: n = count(*)"}],
    }


def test_a_filter_may_change_and_state_may_not() -> None:
    storage = Memory()
    assert places(storage).claim(query()) == "/c/m"
    assert json.loads(storage.files["/c/m/headrace.json"])["app"] == "job"
    assert places(storage).claim(query(keep="n > 7")) == "/c/m"
    with pytest.raises(
        CheckpointMismatch, match="holds state for aggregate by id.*the program now says aggregate by n"
    ):
        places(storage).claim(query(key="n"))
    with pytest.raises(CheckpointMismatch, match="reads files in; this one reads files other"):
        places(storage).claim(query(path="other"))
    with pytest.raises(CheckpointMismatch, match="belongs to app 'job', not 'else'") as caught:
        places(storage, "else").claim(query())
    assert caught.value.exit_code == 3
    assert "delete that folder to begin anew" in str(caught.value.hint)


def windows(*trigger: Any, size: str = "1 minute", **how: Any) -> Query:
    app = hr.App("job")
    rows = app.read(hr.files("in", "json", schema="id string, t timestamp"), event_time="t")
    cut = rows.key_by("id").window(hr.tumbling(size), **how)
    (cut.trigger(*trigger) if trigger else cut).agg(n="count(*)").write(hr.memory(), name="m")
    return divide(app.job.writes, keeps_state)[0]


def test_lateness_may_change_and_what_a_window_keeps_may_not() -> None:
    storage = Memory()
    assert places(storage).claim(windows(hr.each_row())) == "/c/m"
    assert json.loads(storage.files["/c/m/headrace.json"])["state"] == [
        {
            "operator": "window",
            "keys": "id",
            "windows": "tumbling 1 minute",
            "aggregates": "count(*)",
            "panes": "each row, accumulating",
        }
    ]
    assert places(storage).claim(windows(hr.each_row(), lateness="5 minutes", late="drop")) == "/c/m"
    for other, was, now in (
        (windows(hr.each_row(), hr.discarding), "panes each row, accumulating", "each row, discarding"),
        (windows(hr.after_count(3)), "panes each row, accumulating", "after 3 rows, accumulating"),
        (windows(hr.each_row(), size="2 minutes"), "windows tumbling 1 minute", "tumbling 2 minutes"),
    ):
        with pytest.raises(CheckpointMismatch, match=f"holds {was}; the program now says {now}\n"):
            places(storage).claim(other)


def test_shards_stay_as_they_were_unless_another_number_is_asked_for() -> None:
    storage, asked = Memory(), windows(hr.each_row())

    def form(shards: int, chosen: bool) -> Form:
        return Form({asked.cut.inputs[0]: {"form": {}}}, (), shards, chosen)

    places(storage).claim(asked, form(4, chosen=False))
    places(storage).claim(asked, form(16, chosen=False))
    assert json.loads(storage.files["/c/m/headrace.json"])["shards"] == 4
    with pytest.raises(CheckpointMismatch, match="in 4 shards; spark.sql.shuffle.partitions is now 16"):
        places(storage).claim(asked, form(16, chosen=True))


def test_each_query_has_its_own_folder() -> None:
    storage = Memory()
    folders: list[Any] = [places(storage).claim(query(name=name)) for name in ("a", "b/c", "s3://x")]
    assert folders == ["/c/a", "/c/b_c", "/c/s3___x"]


def test_a_checkpoint_that_we_did_not_write() -> None:
    storage = Memory()
    storage.files["/c/m/metadata"] = "{}"
    with pytest.raises(CheckpointMismatch, match="of a Spark query that Headrace did not start"):
        places(storage).claim(query())


def test_where_checkpoints_lie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    project = Project(tmp_path)
    assert root_of(project, "my job", None) == f"{tmp_path}/.headrace/checkpoints/my_job"
    assert root_of(project, "my job", "c") == f"{tmp_path}/c"
    assert root_of(project, "my job", "s3a://bucket/c") == "s3a://bucket/c"


def test_names_of_folders() -> None:
    assert safe("a b/../c") == "a_b_.._c"
    assert safe("..") == "_" and safe("") == "_"
