"""A window of the kernel's as the kernel is told of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

import headrace as hr
from headrace.model.modes import Output
from headrace.model.windows._window import Window
from headrace.plan.nodes import KernelWindow
from headrace.planner.kernel_spec import final_only, kernel_spec, predicates
from headrace.registry import WINDOWS

AT_END = {"kind": "at_watermark", "early": None, "late": None}
AND_LATE = {"kind": "at_watermark", "early": None, "late": {"kind": "each_row"}}
EACH = {"kind": "each_row"}


def node_of(window: Window, *trigger: Any, **how: Any) -> KernelWindow:
    rows = hr.App("q").read(hr.files("in", "json", schema="n int, t timestamp"), event_time="t")
    cut = rows.window(window, **how)
    node: Any = (cut.trigger(*trigger) if trigger else cut).agg(n="count(*)")._node
    found: KernelWindow = node.input
    return found


def test_a_window_as_it_is_handed_over() -> None:
    early = hr.at_watermark(early=hr.when("n > 3"), late=hr.each_row())
    node = node_of(hr.sliding("10 s", every="5 s", on="ingestion"), early, hr.retracting, lateness="1 minute")
    spec = kernel_spec(node, Output.UPDATE)
    assert json.loads(json.dumps(spec)) == spec == {
        "window": {"kind": "aligned", "size": 10_000_000, "every": 5_000_000, "offset": 0},
        "on": "ingestion",
        "lateness": 60_000_000,
        "ttl": None,
        "late": "keep",
        "trigger": {"kind": "at_watermark", "early": {"kind": "when", "predicate": 0}, "late": EACH},
        "accumulation": "retracting",
        "final_only": False,
        "pane": True,
        "op": True,
    }  # fmt: skip
    assert [str(condition) for condition in predicates(node)] == ["n > 3"]


def test_how_long_a_silent_key_is_kept() -> None:
    assert kernel_spec(node_of(hr.count(3), ttl="1 hour"), Output.APPEND)["ttl"] == 3_600_000_000


def test_rows_that_are_dropped() -> None:
    assert kernel_spec(node_of(hr.count(3), late="drop"), Output.APPEND)["late"] == "drop"


@pytest.mark.parametrize(
    "window, output, trigger",
    [
        (hr.tumbling("1 s"), Output.APPEND, AT_END),
        (hr.tumbling("1 s"), Output.UPDATE, AND_LATE),
        (hr.tumbling("1 s", on="processing"), Output.APPEND, AT_END),
        (hr.count(3), Output.UPDATE, AND_LATE),
        (hr.all_time(), Output.UPDATE, EACH),
        (hr.all_time(), Output.APPEND, EACH),
    ],
)
def test_the_trigger_that_is_meant_when_none_is_named(
    window: Window, output: Output, trigger: dict[str, Any]
) -> None:
    spec = kernel_spec(node_of(window), output)
    assert (spec["trigger"], spec["pane"], spec["op"]) == (trigger, False, False)
    assert (spec["accumulation"], spec["final_only"]) == ("accumulating", output is Output.APPEND)


def test_panes_of_what_is_new_all_leave() -> None:
    every = hr.every("1 s")
    assert not final_only(node_of(hr.count(3), every, hr.discarding), Output.APPEND)
    assert final_only(node_of(hr.count(3), every, hr.accumulating), Output.APPEND)
    assert not final_only(node_of(hr.count(3), every, hr.accumulating), Output.UPDATE)
    assert final_only(node_of(hr.count(3), every), Output.COMPLETE)


EXAMPLES: dict[str, Window] = {
    "all_time": hr.all_time(),
    "count": hr.count(3),
    "cumulative": hr.cumulative("1 s", "1 minute"),
    "delta": hr.delta("n", 1),
    "punctuated": hr.punctuated(end="n = 0"),
    "session": hr.session("1 s"),
    "sliding": hr.sliding("1 minute", every="1 s"),
    "trailing": hr.trailing("1 s"),
    "tumbling": hr.tumbling("1 s"),
}


@pytest.mark.parametrize("name", WINDOWS.names())
def test_every_window_can_be_handed_over(name: str) -> None:
    node = node_of(EXAMPLES[name])
    spec = kernel_spec(node, Output.APPEND)
    assert json.loads(json.dumps(spec)) == spec
    assert spec["window"]["kind"] == ("aligned" if name in ("tumbling", "sliding") else name)
    assert node.window.text in str(node)
