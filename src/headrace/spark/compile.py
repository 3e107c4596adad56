"""A plan turned into DataFrames, each node once, each of Spark's complaints at the line it is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from zlib import crc32

from headrace.connect.source import Topics
from headrace.model.modes import Mode, Output
from headrace.origin import Origin
from headrace.plan.nodes import Late, Node, Read, upstream
from headrace.plan.process import KERNELS
from headrace.settings import Project
from headrace.spark.engine import kernel
from headrace.spark.lower import LOWER
from headrace.spark.translate import blame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Inputs = Callable[[Read], "DataFrame | None"]


@dataclass(frozen=True)
class Setting:
    """What the kernel's operators must know of the query that they are in.

    `output` is which rows it hands on, `place` the folder of its state (None where nothing is kept), `late`
    the windows whose late rows somebody reads, and `partitions` how many source partitions are waited for,
    beside those that a source's offsets name.
    """

    output: Output = Output.APPEND
    place: str | None = None
    late: frozenset[Node] | None = None
    partitions: Callable[[Read], int] = lambda read: int(read.source.topics is Topics.NONE)


class Compiler:
    """Gives the DataFrame of a node. `known` holds those that are there, `inputs` stands in for sources.

    A compiler that is `tracking` notes where each row is from as it is read, as the kernel's operators need.
    """

    def __init__(
        self,
        spark: SparkSession,
        project: Project,
        mode: Mode,
        *,
        known: Mapping[Node, DataFrame] | None = None,
        inputs: Inputs = lambda _read: None,
        setting: Setting | None = None,
        tracking: bool = False,
    ) -> None:
        self.spark = spark
        self.project = project
        self.mode = mode
        self.inputs = inputs
        self._frames: dict[Node, DataFrame] = dict(known or {})
        self._parts: dict[tuple[Node, str], Any] = {}
        self._counters: dict[str, Any] = {}
        self.setting = setting or Setting()
        self.tracking = tracking
        self._tracking: Compiler | None = self if tracking else None
        self._operators: dict[Node, int] = {}

    def frame(self, node: Node) -> DataFrame:
        """The node's rows."""
        found = self._frames.get(node)
        if found is None:
            compiler = self.tracker if isinstance(node, KERNELS) else self
            lower = LOWER[type(node)]
            found = compiler.frame(node) if compiler is not self else lower(self, node)
            self._frames[node] = found
        return found

    @property
    def tracker(self) -> Compiler:
        """The compiler of what lies before the kernel's operators."""
        if self._tracking is None:
            made = Compiler(
                self.spark, self.project, self.mode, inputs=self.inputs, setting=self.setting, tracking=True
            )
            made._parts, made._counters = self._parts, self._counters
            self._tracking = made
        return self._tracking

    def operator(self, node: Node) -> int:
        """The number of a kernel's operator in its query, by which its state is found again."""
        return self._operators.setdefault(node, len(self._operators))

    def number(self, read: Read) -> int:
        """The number of a source's first partition, among those of all sources."""
        return crc32(read.name.encode()) >> 1 << 32

    def roster(self, node: Node) -> list[int]:
        """The source partitions that a kernel's operator waits for, before they have spoken.

        The kernel itself finds those that a batch's offsets name, and the shards of an operator before it.
        """
        return [
            self.number(read) + at
            for read in _straight(node)
            for at in range(self.setting.partitions(read) if self.mode.streaming else 0)
        ]

    def ticks(self, node: Node) -> bool:
        """Whether this operator gives a silent stream its batches; a test moves its clock itself."""
        reads = [before for before in upstream(node) if isinstance(before, Read)]
        first = not any(isinstance(before, KERNELS) for before in list(upstream(node))[:-1])
        given = any(self.inputs(read) is not None for read in reads)
        return first and not given and self.mode.streaming

    def keeps_late(self, node: Node) -> bool:
        """Whether somebody reads the late rows of these windows."""
        return self.setting.late is None or node in self.setting.late

    def part(self, node: Node, name: str, make: Callable[[], Any]) -> Any:
        """Something that several nodes share, made once."""
        key = (node, name)
        if key not in self._parts:
            self._parts[key] = make()
        return self._parts[key]

    def again(self, setting: Setting | None = None) -> Compiler:
        """A compiler like this that has made nothing yet, so that its counters start at zero."""
        return Compiler(
            self.spark, self.project, self.mode, inputs=self.inputs, setting=setting or self.setting
        )

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


def _straight(node: Node) -> list[Read]:
    """The sources whose rows come to this operator without passing another of the kernel's."""
    found: dict[Read, None] = {}
    left = list(node.inputs)
    while left:
        at = left.pop()
        if isinstance(at, Read):
            found[at] = None
        elif not isinstance(at, KERNELS):
            left.extend(at.inputs)
    return list(found)


def late_in(writes: Iterable[Node]) -> frozenset[Node]:
    """The windows whose late rows these outputs read."""
    return frozenset(
        before.input for write in writes for before in upstream(write) if isinstance(before, Late)
    )


def to_frame(node: Node) -> DataFrame:
    """A node as a DataFrame in the active session; batch if all that it reads are plain DataFrames."""
    from headrace.connectors.dataframe import Frame
    from headrace.spark.session import session

    reads = [before for before in upstream(node) if isinstance(before, Read)]
    still = all(isinstance(read.source, Frame) and not read.source.frame.isStreaming for read in reads)
    project = Project.find()
    spark = session("headrace", project)
    return Compiler(spark, project, Mode.BATCH if still else Mode.MICRO_BATCH).frame(node)
