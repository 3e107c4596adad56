"""How each kind of node becomes a DataFrame, a file a family; `LOWER` is the table of them all."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.plan import nodes
from headrace.plan.process import Process
from headrace.spark.lower import aggregates, processing, reading, rows, windows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

LOWER: dict[type[nodes.Node], Callable[[Any, Any], DataFrame]] = {
    nodes.Read: reading.read,
    nodes.Rejected: reading.rejected,
    nodes.Where: rows.where,
    nodes.Select: rows.select,
    nodes.WithColumns: rows.with_columns,
    nodes.Drop: rows.drop,
    nodes.Rename: rows.rename,
    nodes.MapRows: rows.map_rows,
    nodes.Union: rows.union,
    nodes.Sql: rows.sql,
    nodes.Aggregate: aggregates.aggregate,
    nodes.Reduce: aggregates.reduce,
    nodes.WindowAggregate: aggregates.window_aggregate,
    nodes.KernelWindow: windows.window,
    nodes.Results: windows.results,
    nodes.Late: windows.late,
    nodes.ApplyRows: windows.apply_rows,
    Process: processing.process,
}
