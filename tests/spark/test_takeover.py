"""A job that changes between two runs: what its checkpoint can be taken over by, and what is refused by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from conftest import Told

Fails = Callable[..., Told]
JOB = """
    counts = (
        rows.key_by("id")
        .window(hr.tumbling("1 minute"){more})
        .agg({aggregates})
    )
    counts.write({sink}, name="counts"{output})
    {run}
"""
RUN = 'app.run(mode="available-now")'
GIVEN = {"more": "", "aggregates": 'n="sum(n)"', "sink": 'hr.files("out", "json")', "output": "", "run": RUN}


def job(text: str = JOB, **given: str) -> str:
    import textwrap

    return textwrap.dedent(text).strip("\n").format(**{**GIVEN, **given}) + "\n"


@pytest.fixture
def runs(spark: SparkSession, folder: Path, head: str) -> Callable[..., None]:
    """Runs a job that does not fail, in the same file."""

    def run(body: str) -> None:
        text = head + body
        (folder / "job.py").write_text(text)
        exec(compile(text, str(folder / "job.py"), "exec"), {"__name__": "__main__", "__file__": "job.py"})

    return run


CHANGES = {
    "aggregates": (
        ('.agg(n="sum(n)")', '.agg(n="sum(n)", m="max(n)")'),
        "holds the aggregates sum(n); the program now says sum(n), max(n)",
        ".agg(",
    ),
    "their order": (
        ('.agg(n="sum(n)")', '.agg(m="max(n)")'),
        "holds the aggregates sum(n); the program now says max(n)",
        ".agg(",
    ),
    "what they are made of": (
        ("rows.key_by", 'rows.with_column("n", "n * 0.5").key_by'),
        "holds values of type bigint; the program now says decimal",
        ".agg(",
    ),
    "the window": (
        ('hr.tumbling("1 minute")', 'hr.tumbling("2 minutes")'),
        "holds windows tumbling 1 minute; the program now says tumbling 2 minutes",
        ".window(",
    ),
    "the kind of window": (
        ('hr.tumbling("1 minute")', 'hr.session("1 minute")'),
        "holds windows tumbling 1 minute; the program now says session gap 1 minute",
        ".window(",
    ),
    "keys": (
        ('key_by("id")', 'key_by(half="n % 2")'),
        "holds state by id; the program now says n % 2",
        ".window(",
    ),
    "types of keys": (
        ("rows.key_by", 'rows.with_column("id", "length(id)").key_by'),
        "holds keys of type string; the program now says int",
        ".agg(",
    ),
    "panes": (
        (".agg(n", ".trigger(hr.each_row(), hr.discarding).agg(n"),
        "holds panes at watermark, accumulating; the program now says each row, discarding",
        ".agg(",
    ),
}


def test_what_does_not_fit_is_refused_at_its_line(runs: Callable[..., None], fails: Fails) -> None:
    base = job()
    runs(base)
    for name, ((old, new), message, line) in CHANGES.items():
        assert old in base, name
        told = fails(base.replace(old, new))
        assert "CheckpointMismatch: the checkpoint in " in told.stderr, name
        assert message in told.stderr, f"{name}: {told.stderr}"
        assert told.at(line) in told.stderr, f"{name}: {told.stderr}"
        assert "put it back; or give this job another name or --checkpoint" in told.stderr


def test_the_order_of_operators_is_refused(runs: Callable[..., None], fails: Fails) -> None:
    text = """
        first = rows.key_by("id").window({one}).agg(n="sum(n)")
        first.key_by("id").window({two}).agg(n="sum(n)").write(hr.files("out", "json"), name="counts")
        {run}
    """
    small, large = 'hr.tumbling("1 minute")', "hr.count(3)"
    runs(job(text, one=small, two=large))
    told = fails(job(text, one=large, two=small))
    assert (
        "holds window by id: tumbling 1 minute: sum(n) then window by id: count 3: sum(n);"
        " the program now says window by id: count 3: sum(n) then window by id: tumbling 1 minute: sum(n)"
    ) in told.stderr
    assert told.at("first = ") in told.stderr
    told = fails(job(text.replace('first.key_by("id").window({two}).agg(n="sum(n)")', "first"), one=small))
    assert "the program now says window by id: tumbling 1 minute: sum(n)\n" in told.stderr


def test_windows_that_are_kept_otherwise_are_refused(runs: Callable[..., None], fails: Fails) -> None:
    """Told at every change, a window without lateness is kept with others; one that waits is kept alone."""
    update = {"sink": 'hr.memory("m")', "output": ', output="update", '.rstrip(", ")}
    runs(job(**update))
    told = fails(job(more=', lateness="5 minutes"', **update))
    assert "holds windows kept as slices that they share" in told.stderr
    assert "the program now says one by one" in told.stderr
    assert told.at(".window(") in told.stderr


def test_what_does_not_touch_state_is_taken_over(
    runs: Callable[..., None], fails: Fails, folder: Path, spark: SparkSession
) -> None:
    runs(job())
    card = folder / ".headrace" / "checkpoints" / "job" / "counts" / "headrace.json"
    shards = json.loads(card.read_text())["shards"]
    (folder / "in" / "less.json").write_text('{"id":"a","n":5,"t":"2026-01-01T00:00:30Z"}\n')
    (folder / "in" / "more.json").write_text('{"id":"b","n":5,"t":"2026-01-01T00:01:30Z"}\n')
    (folder / "in" / "most.json").write_text('{"id":"c","n":0,"t":"2026-01-01T00:20:00Z"}\n')
    before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", shards + 3)
    try:
        told = fails(job())
        assert f"in {shards} shards; spark.sql.shuffle.partitions is now {shards + 3}" in told.stderr
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", before)
    runs(job(more=', lateness="10 minutes"', aggregates='total="sum(n)"', sink='hr.files("other", "json")'))
    assert json.loads(card.read_text())["operators"][0]["spec"]["lateness"] == 600_000_000
    lines = [line for file in (folder / "other").glob("*.json") for line in file.read_text().splitlines()]
    rows = sorted((row["id"], row["total"]) for row in map(json.loads, lines))
    assert rows == [("b", 7)], (
        "what was kept counts on, and what was closed under the old lateness stays closed"
    )
