"""What the kernel makes of a query's operators, asked of the kernel itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from headrace.plan.nodes import KernelWindow, Node, Read, upstream
from headrace.plan.process import KERNELS
from headrace.runtime.identity import Form
from headrace.spark.engine import kernel
from headrace.spark.session import local_cores

if TYPE_CHECKING:
    from headrace.planner.divide import Query
    from headrace.spark.compile import Compiler

SHARDS = "spark.sql.shuffle.partitions"
SPARKS_OWN = 200


def form_of(compiler: Compiler, query: Query) -> Form:
    """How the query's operators keep their state."""
    nodes = list(upstream(query.cut))
    operators: dict[Node, dict[str, Any]] = {
        node: _described(compiler, node) for node in nodes if isinstance(node, KernelWindow)
    }
    reads = tuple(
        {"name": node.name, "number": compiler.number(node), "topics": str(node.source.topics)}
        for node in nodes
        if isinstance(node, Read)
    )
    if not any(isinstance(node, KERNELS) for node in nodes):
        return Form(reads=reads)
    shards = int(compiler.spark.conf.get(SHARDS) or SPARKS_OWN)
    usual = local_cores(str(compiler.spark.sparkContext.master)) or SPARKS_OWN
    return Form(operators, reads, shards, chosen=shards != usual)


def _described(compiler: Compiler, node: KernelWindow) -> dict[str, Any]:
    frame = compiler.frame(node)
    spec = compiler.part(node, "spec", dict)
    return {
        "number": spec["operator"],
        "text": str(node),
        "keys": [key.name or str(key) for key in node.keys],
        "spec": {name: value for name, value in spec.items() if name not in ("place", "roster", "late_read")},
        "form": json.loads(kernel().Kernel.form(frame._jdf)),
    }
