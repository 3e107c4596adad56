"""`headrace state`: what a job keeps, read while it runs and after, by a program without Spark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import headrace as hr
from headrace.cli.main import main
from headrace.runtime.progress import JobProgress

SCHEMA = "id string, n int, t timestamp"
LINES = [("a", 1, "00:00:05"), ("a", 2, "00:01:05"), ("b", 3, "00:01:10"), ("c", 4, "00:01:15")]


@pytest.fixture
def counting(app: hr.App, folder: Path) -> hr.App:
    rows = [json.dumps({"id": id, "n": n, "t": f"2026-01-01T{at}Z"}) for id, n, at in LINES]
    (folder / "in" / "rows.json").write_text("\n".join(rows) + "\n")
    read = app.read(hr.files("in", "json", schema=SCHEMA), event_time="t", delay="10 seconds", name="rows")
    minutes = read.key_by("id").window(hr.tumbling("1 minute"), lateness="2 seconds").agg(n="sum(n)")
    minutes.key_by("id").window(hr.count(3)).agg(n="sum(n)").write(hr.memory("m"), name="counts")
    return app


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert main(["state", *arguments]) == 0
    return capsys.readouterr().out


def test_what_a_job_keeps(counting: hr.App, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    live: list[Any] = []

    def look(progress: JobProgress) -> bool:
        if progress.queries[0].batch is not None:
            live.append((progress.queries[0], json.loads(asked(capsys, "job", "--json"))))
        return bool(live)

    counting.run(stop_after="60 seconds", stop_when=look)
    ((gauge, told),) = live
    assert (gauge.state_rows, f"{gauge.watermark:%H:%M:%S}") == (4, "00:01:05"), (
        "three ids, and one behind them"
    )
    assert told == json.loads(asked(capsys, "job", "--json")), "the same after it as while it ran"

    (query,) = told
    first, second = query["operators"]
    assert query["query"] == "counts"
    assert first["operator"] == "window by id: tumbling 1 minute: n = sum(n) (lateness 2 seconds)"
    assert first["watermark"] == "2026-01-01T00:01:05+00:00"
    assert [(source["source"], source["idle"]) for source in first["sources"]] == [("rows", False)]
    starts = {kept["key"]["id"]: [window["start"] for window in kept["windows"]] for kept in first["keys"]}
    assert starts == {key: ["2026-01-01T00:01:00+00:00"] for key in "abc"}
    (one,) = second["keys"]
    assert (one["key"], one["windows"][0]["rows"]) == ({"id": "a"}, 1), "a's first minute is closed"
    assert first["bytes_on_disk"] > first["bytes"] > 0
    assert {source["source"] for source in second["sources"]} == {"operator 0"}

    text = asked(capsys, "job", "--key", "b")
    assert "3 keys in 2 shards" in text and "watermark 2026-01-01 00:01:05" in text
    (line,) = [line for line in text.splitlines() if line.startswith("b ")]
    assert "2026-01-01 00:01:00  2026-01-01 00:02:00" in line
    assert "no such key" in text, "the second window has none of b"
    text = asked(capsys, str(folder / ".headrace" / "checkpoints" / "job" / "counts"), "--limit", "1")
    assert "… 2 more keys; --limit shows more, --key one" in text


def test_a_job_that_never_ran(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / ".headrace" / "checkpoints" / "other").mkdir(parents=True)
    assert main(["state", "nowhere"]) != 0
    told = capsys.readouterr().err
    assert f"there is no checkpoint in {folder}/.headrace/checkpoints/nowhere" in told
    assert "the jobs that have one are: other" in told
