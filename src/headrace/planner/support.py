"""What runs each kind of node, whether it keeps state, and why it cannot run in real time, if it cannot."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.model.windows._window import TimeOf
from headrace.model.windows.session import Session
from headrace.plan import nodes
from headrace.plan.process import Process


@dataclass(frozen=True, slots=True)
class Support:
    """How a node runs. `real_time` is the reason against real-time mode; None: it runs there too."""

    how: str
    state: bool = False
    real_time: str | None = None


PYTHON = "Spark's real-time mode hands rows to no Python function"
SUPPORT: dict[type[nodes.Node], Support] = {
    nodes.Read: Support("Spark's source"),
    nodes.Rejected: Support("filter of the decoded source"),
    nodes.Where: Support("Spark filter"),
    nodes.Select: Support("Spark projection"),
    nodes.WithColumns: Support("Spark projection"),
    nodes.Drop: Support("Spark projection"),
    nodes.Rename: Support("Spark projection"),
    nodes.MapRows: Support("Python over Arrow batches", real_time=PYTHON),
    nodes.Union: Support("Spark union"),
    nodes.Sql: Support("Spark SQL"),
    nodes.Aggregate: Support("Spark's stateful aggregation", state=True),
    nodes.Reduce: Support("Python over Spark's applyInPandasWithState", state=True, real_time=PYTHON),
    nodes.WindowAggregate: Support("Spark's window aggregation", state=True),
    nodes.KernelWindow: Support("the kernel's windows", state=True),
    nodes.Results: Support("filter of the kernel's rows"),
    nodes.Late: Support("filter of the kernel's rows"),
    nodes.ApplyRows: Support("Python over the kernel's rows", real_time=PYTHON),
    Process: Support("Python over Arrow, many keys a call; the kernel's state", state=True, real_time=PYTHON),
    nodes.Write: Support("Spark's sink"),
}
SESSIONS = Support(
    "Spark's session aggregation",
    state=True,
    real_time=(
        "Spark's session windows give final results alone, and its real-time mode gives changed ones alone"
    ),
)


def support(node: nodes.Node, *, sql_keeps_state: bool = False) -> Support:
    """The row of the table for this node."""
    if isinstance(node, nodes.WindowAggregate) and isinstance(node.window, Session):
        return SESSIONS
    if isinstance(node, nodes.Sql) and sql_keeps_state:
        return Support("Spark SQL, keeping state", state=True)
    return SUPPORT[type(node)]


def drops_late(node: nodes.Node) -> bool:
    """Whether the operator would drop rows that come after its watermark."""
    return isinstance(node, nodes.WindowAggregate) and node.window.on is TimeOf.EVENT
