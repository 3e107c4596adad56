"""A plan turned into DataFrames, each node once, each of Spark's complaints at the line it is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from headrace.model.modes import Mode
from headrace.origin import Origin
from headrace.plan.nodes import Node, Read
from headrace.settings import Project
from headrace.spark.engine import kernel
from headrace.spark.lower import LOWER
from headrace.spark.translate import blame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Inputs = Callable[[Read], "DataFrame | None"]


class Compiler:
    """Gives the DataFrame of a node. `known` holds those that are there, `inputs` stands in for sources."""

    def __init__(
        self,
        spark: SparkSession,
        project: Project,
        mode: Mode,
        *,
        known: Mapping[Node, DataFrame] | None = None,
        inputs: Inputs = lambda _read: None,
    ) -> None:
        self.spark = spark
        self.project = project
        self.mode = mode
        self.inputs = inputs
        self._frames: dict[Node, DataFrame] = dict(known or {})
        self._parts: dict[tuple[Node, str], Any] = {}
        self._counters: dict[str, Any] = {}

    def frame(self, node: Node) -> DataFrame:
        """The node's rows."""
        found = self._frames.get(node)
        if found is None:
            found = self._frames[node] = LOWER[type(node)](self, node)
        return found

    def part(self, node: Node, name: str, make: Callable[[], Any]) -> Any:
        """Something that several nodes share, made once."""
        key = (node, name)
        if key not in self._parts:
            self._parts[key] = make()
        return self._parts[key]

    def again(self) -> Compiler:
        """A compiler of the same settings that has made nothing yet, so that its counters start at zero."""
        return Compiler(self.spark, self.project, self.mode, inputs=self.inputs)

    def counter(self, name: str) -> Any:
        """A count that the rows of a plan add to while they pass."""
        if name not in self._counters:
            self._counters[name] = kernel().Expressions.counter(self.spark._jsparkSession, name)
        return self._counters[name]

    def counts(self) -> dict[str, int]:
        """What has been counted so far; a batch that was tried twice counts twice."""
        return {name: int(counter.value()) for name, counter in self._counters.items()}

    def blame(self, node: Node, origin: Origin | None = None) -> Any:
        """A context in which Spark's complaints are about this node, and name its input's columns."""

        def columns() -> list[str]:
            names = {name for before in node.inputs for name in self.frame(before).columns}
            return sorted(name for name in names if not name.startswith("__headrace"))

        return blame(origin or node.origin, columns)


def to_frame(node: Node) -> DataFrame:
    """A node as a DataFrame in the active session; batch if all that it reads are plain DataFrames."""
    from headrace.connectors.dataframe import Frame
    from headrace.plan.nodes import upstream
    from headrace.spark.session import session

    reads = [before for before in upstream(node) if isinstance(before, Read)]
    still = all(isinstance(read.source, Frame) and not read.source.frame.isStreaming for read in reads)
    project = Project.find()
    spark = session("headrace", project)
    return Compiler(spark, project, Mode.BATCH if still else Mode.MICRO_BATCH).frame(node)
