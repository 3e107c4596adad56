"""Windows that only Spark's types can tell to be wrong: said when the job is checked, at the user's line."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import headrace as hr
from headrace.errors import InvalidExpression
from headrace.origin import Origin
from headrace.streams.keyed import KeyedStream

SCHEMA = "id string, tags map<string, int>, t timestamp, n int"


@pytest.fixture
def app(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> hr.App:
    (tmp_path / "headrace.toml").touch()
    monkeypatch.chdir(tmp_path)
    return hr.App("job")


def keyed(app: hr.App, *keys: str, **named: str) -> KeyedStream:
    rows = app.read(hr.kafka("rows", value=hr.json(SCHEMA)), event_time="t")
    return rows.key_by(*keys, **named)


@pytest.mark.parametrize(
    "named, kind",
    [
        ({"k": "tags"}, "map<string,int>"),
        ({"k": "struct(id, tags)"}, "struct<id:string,tags:map<string,int>>"),
    ],
)
def test_a_key_that_cannot_be_hashed(app: hr.App, named: dict[str, str], kind: str) -> None:
    keyed(app, "id", **named).window(hr.tumbling("1 minute")).agg(n="count(*)").write(hr.memory())
    with pytest.raises(InvalidExpression) as caught:
        app.validate()
    assert (
        caught.value.message == f"the key 'k = {named['k']}' is a {kind}, by which rows cannot be told apart"
    )
    assert caught.value.hint == "give parts of it, or its text: .key_by(key='to_json(…)')"
    assert isinstance(caught.value.origin, Origin) and caught.value.origin.file == __file__


@pytest.mark.parametrize("window", [hr.session("1 minute"), hr.tumbling("1 minute"), hr.count(3)])
def test_an_aggregate_that_cannot_be_merged(app: hr.App, window: hr.Window) -> None:
    keyed(app, "id").window(window).agg(n="sum(DISTINCT n)").write(hr.memory())
    with pytest.raises(InvalidExpression) as caught:
        app.validate()
    assert caught.value.message == "sum(DISTINCT n) cannot be merged from parts, as windows need it"
    assert caught.value.hint == (
        "give one that can: count(DISTINCT …) can; sum(DISTINCT …) is a sum over collect_set(…)"
    )
    assert isinstance(caught.value.origin, Origin) and caught.value.origin.file == __file__
