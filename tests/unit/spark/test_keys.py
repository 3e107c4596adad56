"""Which columns tell the rows of a result apart."""

from __future__ import annotations

from typing import Any

import pytest

import headrace as hr
from headrace.spark.queries import keys_of

MINUTE = hr.tumbling("1 minute")
AS_NEW = (hr.every("1 s"), hr.discarding)
KEYS: dict[str, tuple[Any, list[str]]] = {
    "rows": (lambda s: s, []),
    "aggregate": (lambda s: s.key_by("id", half="n / 2").agg(m="max(n)"), ["id", "half"]),
    "Spark's window": (lambda s: s.key_by("id").window(MINUTE, late="drop").agg(m="max(n)"), ["id", "window"]),
    "window": (lambda s: s.key_by("id").window(MINUTE).agg(m="max(n)").where("m > 1"), ["id", "window"]),
    "window without a key": (lambda s: s.window(hr.count(3)).agg(m="max(n)"), ["window"]),
    "panes": (lambda s: s.window(MINUTE).trigger(hr.each_row()).agg(m="max(n)"), ["window"]),
    "panes of what is new": (lambda s: s.window(MINUTE).trigger(*AS_NEW).agg(m="max(n)"), ["window", "pane"]),
    "retractions": (
        lambda s: s.window(MINUTE).trigger(hr.each_row(), hr.retracting).agg(m="max(n)"), ["window"]
    ),
    "all time": (lambda s: s.key_by("id").window(hr.all_time()).agg(m="max(n)"), ["id"]),
    "all time, what is new": (
        lambda s: s.key_by("id").window(hr.all_time()).trigger(*AS_NEW).agg(m="max(n)"), ["id", "pane"]
    ),
    "late rows": (lambda s: s.key_by("id").window(MINUTE).agg(m="max(n)").late, []),
    "a function's rows": (lambda s: s.key_by("id").window(MINUTE).apply(max, "m int"), []),
    "windows over windows": (
        lambda s: s.key_by("id").window(MINUTE).agg(m="max(n)").window(hr.tumbling("1 h")).agg(m="max(m)"),
        ["window"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("make, keys", KEYS.values(), ids=KEYS)
def test_keys_of_a_result(make: Any, keys: list[str]) -> None:
    app = hr.App("q")
    make(app.read(hr.files("in", "json", schema="id string, n int, t timestamp"), event_time="t")).write(
        hr.memory()
    )
    assert keys_of(app.job.writes[0]) == keys
