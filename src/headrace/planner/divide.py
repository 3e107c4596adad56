"""Outputs divided into the fewest queries that Spark can run them in.

Outputs whose rows pass the same operators with state (and come from the same sources) share one query: it
runs up to the last node that they all pass, the cut, and each batch of the cut feeds every output. Spark
cannot hand rows on from before an operator with state, so outputs that differ in those need a query each.
Late rows of a window are the same in every output mode, so they come along with its results in any.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headrace.model.modes import Output
from headrace.plan.nodes import Late, Node, Read, Rejected, Write, upstream

KeepsState = Callable[[Node], bool]


@dataclass(frozen=True)
class Query:
    """One Spark query: up to `cut`, then to each of its outputs."""

    name: str
    writes: tuple[Write, ...]
    cut: Node
    output: Output

    @property
    def shared(self) -> bool:
        return len(self.writes) > 1


def divide(writes: list[Write], keeps_state: KeepsState, *, together: bool = True) -> list[Query]:
    """The queries of a job, in the order in which their first outputs were written."""
    groups: list[list[Write]] = []
    for write in writes:
        for group in groups:
            if together and _one_query([*group, write], keeps_state):
                group.append(write)
                break
        else:
            groups.append([write])
    return [_query(group, keeps_state) for group in groups]


def _query(group: list[Write], keeps_state: KeepsState) -> Query:
    cut = _cut(group, keeps_state) if len(group) > 1 else group[0].input
    assert cut is not None
    wished = _wished(group, keeps_state)
    return Query(group[0].name, tuple(group), cut, wished[0] if wished else group[0].output)


def _one_query(group: list[Write], keeps_state: KeepsState) -> bool:
    if len(set(_wished(group, keeps_state))) > 1:
        return False
    return _cut(group, keeps_state) is not None


def _wished(group: list[Write], keeps_state: KeepsState) -> list[Output]:
    """The output modes of those whose rows depend on it."""
    return [write.output for write in group if not _late_alone(write.input, keeps_state)]


def _late_alone(node: Node, keeps_state: KeepsState) -> bool:
    """Whether all that comes to this node is late rows."""
    if isinstance(node, Late):
        return True
    if keeps_state(node) or not node.inputs:
        return False
    return all(_late_alone(before, keeps_state) for before in node.inputs)


def _cut(group: list[Write], keeps_state: KeepsState) -> Node | None:
    """The last node that all these outputs pass and after which none keeps state."""
    shared = set.intersection(*(set(upstream(write.input)) for write in group))
    for node in reversed([node for node in upstream(group[0].input) if node in shared]):
        if all(_closed_by(write.input, node, keeps_state) for write in group):
            return node
    return None


def _closed_by(end: Node, cut: Node, keeps_state: KeepsState) -> bool:
    """Whether all that leads to `end` comes through `cut`, with no state behind it."""
    if end is cut:
        return True
    if isinstance(end, Read | Rejected) or keeps_state(end):  # rejected rows are not among the rows read
        return False
    return all(_closed_by(before, cut, keeps_state) for before in end.inputs)
