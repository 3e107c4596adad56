"""What must stay the same for a checkpoint to stay valid, and where a program differs from what it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from headrace.origin import Origin
from headrace.plan.nodes import KernelWindow, Node, Read, upstream
from headrace.planner.divide import Query
from headrace.planner.kernel_spec import kept_for

FORMAT = 2
LABELS = {
    "operator": "the operator",
    "keys": "state by",
    "windows": "windows",
    "aggregates": "the aggregates",
    "panes": "panes",
    "key types": "keys of type",
    "value types": "values of type",
    "kept": "windows kept as",
    "state": "state for",
}
"""How a part of an operator's state is spoken of."""
KEPT = {
    "slices": "slices that they share, told once, at their end",
    "windows": "one by one, told more than once or waiting for late rows",
}


@dataclass(frozen=True)
class Form:
    """What the kernel makes of a query: its operators, its sources' numbers, its number of shards.

    Shards that were `chosen` are not taken for the default that a session has by its machine.
    """

    operators: Mapping[Node, dict[str, Any]] = field(default_factory=dict)
    reads: tuple[dict[str, Any], ...] = ()
    shards: int | None = None
    chosen: bool = False


@dataclass(frozen=True)
class Difference:
    """Where a program no longer fits its checkpoint: what the one holds and the other says, and the line."""

    was: str
    now: str
    origin: Origin | None


def identity(app: str, query: Query, keeps_state: Callable[[Node], bool], form: Form) -> dict[str, Any]:
    """The card that lies in a query's checkpoint."""
    reads = [node for node in upstream(query.cut) if isinstance(node, Read)]
    card: dict[str, Any] = {"format": FORMAT, "app": app, "query": query.name}
    card["sources"] = [_source(read) for read in reads]
    card["state"] = [_kept(node, query, form) for node in kept_in(query, keeps_state)]
    if form.shards is not None:
        card["shards"] = form.shards
        card["reads"] = list(form.reads)
        card["operators"] = [form.operators[node] for node in upstream(query.cut) if node in form.operators]
    return card


def kept_in(query: Query, keeps_state: Callable[[Node], bool]) -> list[Node]:
    """The operators that keep state, in the order in which rows come to them."""
    return [node for node in upstream(query.cut) if keeps_state(node)]


def differences(
    theirs: list[dict[str, str]], mine: list[dict[str, str]], nodes: list[Node]
) -> Iterator[Difference]:
    """What the operators with state have become, the first difference first."""
    was, now = list(map(_line, theirs)), list(map(_line, mine))
    if len(was) != len(now) or (was != now and sorted(was) == sorted(now)):
        place = nodes[0].origin if nodes else None
        yield Difference(" then ".join(was) or "no state", " then ".join(now) or "no state", place)
        return
    for was_kept, is_kept, node in zip(theirs, mine, nodes, strict=True):
        if was_kept.keys() != is_kept.keys():
            yield Difference(_line(was_kept), _line(is_kept), node.origin)
            continue
        for part, said in is_kept.items():
            held = was_kept[part]
            if held != said:
                label = LABELS.get(part, part)
                yield Difference(f"{label} {KEPT.get(held, held)}", KEPT.get(said, said), _origin(node, part))


def _kept(node: Node, query: Query, form: Form) -> dict[str, str]:
    if not isinstance(node, KernelWindow):
        return {"state": node.state_text}
    made = form.operators.get(node, {}).get("form", {})
    parts = {"operator": node.verb, **kept_for(node, query.output)}
    if made:
        parts["key types"] = ", ".join(made["keys"]) or "none"
        parts["value types"] = ", ".join(made["values"]) or "none"
        parts["kept"] = made["kept"]
    return parts


def _line(kept: dict[str, str]) -> str:
    """An operator in a few words."""
    if "state" in kept:
        return kept["state"]
    return f"{kept['operator']} by {kept['keys']}: {kept['windows']}: {kept['aggregates']}"


def _origin(node: Node, part: str) -> Origin | None:
    """The line on which a part of a window was said."""
    if isinstance(node, KernelWindow):
        if part in ("keys", "windows", "kept") and node.window_origin is not None:
            return node.window_origin
        if part == "panes" and node.trigger_origin is not None:
            return node.trigger_origin
    return node.origin


def _source(read: Read) -> dict[str, Any]:
    """A source that was given a name goes by it: its partitions are numbered by that."""
    named = {} if read.name == read.source.address else {"name": read.name}
    return {**read.source.identity(), **named}
