"""The nodes of a plan: a table of kinds, each a step from streams to a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from headrace.connect.sink import Sink
from headrace.connect.source import Source
from headrace.model.accumulation import Accumulation
from headrace.model.expression import Expr
from headrace.model.modes import Output
from headrace.model.schema import Schema
from headrace.model.triggers._trigger import Trigger
from headrace.model.windows._window import Window
from headrace.origin import Origin
from headrace.time import show

IDLE = 30_000_000
"""How long a source partition is silent before it stops holding the watermark back, in microseconds."""
ROWS = "__headrace_rows"
"""The aggregate in which a window's rows are gathered for a Python function."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Node:
    """A step of a plan; two nodes are the same only when they are the same object."""

    verb: ClassVar[str] = "node"
    origin: Origin | None = None

    @property
    def inputs(self) -> tuple[Node, ...]:
        one = getattr(self, "input", None)
        return (one,) if isinstance(one, Node) else getattr(self, "several", ())

    @property
    def text(self) -> str:
        """What the step does, in a line, without its verb."""
        return ""

    @property
    def state_text(self) -> str:
        """What a checkpoint remembers of a step that keeps state: while it is the same, the state fits."""
        return str(self)

    def __str__(self) -> str:
        return f"{self.verb} {self.text}".rstrip()


@dataclass(frozen=True, eq=False, kw_only=True)
class Read(Node):
    """Rows from a source; `event_time` names the column of event time, `delay` and `idle` are microseconds.

    Where `watermark` is not null, it says how far event time has come, and `delay` is not asked.
    """

    verb = "read"
    source: Source
    name: str
    event_time: str | None = None
    delay: int = 0
    idle: int = IDLE
    watermark: Expr | None = None

    @property
    def text(self) -> str:
        return self.source.text


@dataclass(frozen=True, eq=False, kw_only=True)
class Rejected(Node):
    """The rows of a source that could not be read, each with the reason."""

    verb = "rejected"
    read: Read

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.read,)

    @property
    def text(self) -> str:
        return f"rows of {self.read.name}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Where(Node):
    verb = "where"
    input: Node
    condition: Expr

    @property
    def text(self) -> str:
        return str(self.condition)


@dataclass(frozen=True, eq=False, kw_only=True)
class Select(Node):
    verb = "select"
    input: Node
    columns: tuple[Expr, ...]

    @property
    def text(self) -> str:
        return ", ".join(map(str, self.columns))


@dataclass(frozen=True, eq=False, kw_only=True)
class WithColumns(Node):
    verb = "with"
    input: Node
    columns: tuple[Expr, ...]

    @property
    def text(self) -> str:
        return ", ".join(map(str, self.columns))


@dataclass(frozen=True, eq=False, kw_only=True)
class Drop(Node):
    verb = "drop"
    input: Node
    names: tuple[str, ...]

    @property
    def text(self) -> str:
        return ", ".join(self.names)


@dataclass(frozen=True, eq=False, kw_only=True)
class Rename(Node):
    verb = "rename"
    input: Node
    names: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        return ", ".join(f"{old} to {new}" for old, new in self.names)


@dataclass(frozen=True, eq=False, kw_only=True)
class MapRows(Node):
    """A Python function over rows: one row out for each (map), or any number (flat map)."""

    input: Node
    function: Callable[..., Any]
    schema: Schema
    flat: bool

    @property
    def verb(self) -> str:  # type: ignore[override]
        return "flat map" if self.flat else "map"

    @property
    def text(self) -> str:
        return f"{function_name(self.function)} to {self.schema}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Union(Node):
    verb = "union"
    several: tuple[Node, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Sql(Node):
    """A SELECT over the stream, which it calls {stream}."""

    verb = "sql"
    input: Node
    query: str

    @property
    def text(self) -> str:
        return " ".join(self.query.split())


@dataclass(frozen=True, eq=False, kw_only=True)
class Aggregate(Node):
    """A running result per key, without a window."""

    verb = "aggregate"
    input: Node
    keys: tuple[Expr, ...]
    aggregates: tuple[Expr, ...]

    @property
    def text(self) -> str:
        return by(self.keys, ", ".join(map(str, self.aggregates)))


@dataclass(frozen=True, eq=False, kw_only=True)
class Reduce(Node):
    """A running row per key: a Python function folds each new row into it."""

    verb = "reduce"
    input: Node
    keys: tuple[Expr, ...]
    function: Callable[..., Any]

    @property
    def text(self) -> str:
        return by(self.keys, function_name(self.function))


@dataclass(frozen=True, eq=False, kw_only=True)
class WindowAggregate(Node):
    """A result per key and window, on Spark's own operator."""

    verb = "window"
    input: Node
    keys: tuple[Expr, ...]
    window: Window
    late: str | None
    aggregates: tuple[Expr, ...]
    window_origin: Origin | None = None

    @property
    def text(self) -> str:
        what = ", ".join(map(str, self.aggregates))
        return by(self.keys, f"{self.window.text}: {what}" + (f" (late: {self.late})" if self.late else ""))


@dataclass(frozen=True, eq=False, kw_only=True)
class KernelWindow(Node):
    """Windows of the kernel's own: panes of each key and window, and the rows that came too late.

    `lateness` and `ttl` are in microseconds; `late` is None (late rows are kept) or "drop". Its rows are
    results and late rows together, told apart by `Results` and `Late`.
    """

    verb = "window"
    input: Node
    keys: tuple[Expr, ...]
    window: Window
    lateness: int = 0
    late: str | None = None
    ttl: int | None = None
    trigger: Trigger | None = None
    accumulation: Accumulation = Accumulation.ACCUMULATING
    aggregates: tuple[Expr, ...] = ()
    window_origin: Origin | None = None
    trigger_origin: Origin | None = None

    @property
    def text(self) -> str:
        said = [f"lateness {show(self.lateness)}"] if self.lateness else []
        said += [f"late: {self.late}"] if self.late else []
        said += [] if self.ttl is None else [f"ttl {show(self.ttl)}"]
        return self._text(said)

    @property
    def state_text(self) -> str:
        """Lateness and ttl say when state is let go of and not what it is, so that they may change."""
        return f"{self.verb} {self._text([])}"

    def _text(self, said: list[str]) -> str:
        if self.trigger is not None:
            said = [self.trigger.text, str(self.accumulation), *said]
        what = ", ".join("rows" if each.name == ROWS else str(each) for each in self.aggregates)
        return by(self.keys, f"{self.window.text}: {what}" + (f" ({', '.join(said)})" if said else ""))

    @property
    def pane_columns(self) -> tuple[str, ...]:
        """What a result's rows have between their keys and their aggregates."""
        window = ("window",) if self.window.has_bounds else ()
        op = ("op",) if self.accumulation is Accumulation.RETRACTING else ()
        return (*window, *op, *(("pane",) if self.trigger is not None else ()))


@dataclass(frozen=True, eq=False, kw_only=True)
class Results(Node):
    """What windows of the kernel's give: the keys, `window`, `op`, `pane`, and the aggregates."""

    verb = "results"
    input: KernelWindow

    @property
    def text(self) -> str:
        return f"of {self.input.window.text}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Late(Node):
    """The rows that came too late for windows of the kernel's: their columns, `window` and `watermark`."""

    verb = "late"
    input: KernelWindow

    @property
    def text(self) -> str:
        return f"for {self.input.window.text}"


@dataclass(frozen=True, eq=False, kw_only=True)
class ApplyRows(Node):
    """A Python function over the rows of each pane, which are gathered in the column `ROWS`.

    Its rows are those that the function gives, behind the result's own columns: keys, `window`, `op`, `pane`.
    The function is handed a pyarrow.Table if `arrow`, else a pandas.DataFrame, and gives the same.
    """

    verb = "apply"
    input: Results
    function: Callable[..., Any]
    schema: Schema
    arrow: bool = False

    @property
    def text(self) -> str:
        return f"{function_name(self.function)} to {self.schema}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Write(Node):
    """The end of a stream: a sink, the name it goes by, and which rows it is handed."""

    verb = "write"
    input: Node
    sink: Sink
    name: str
    output: Output

    @property
    def text(self) -> str:
        return f"{self.sink.text} ({self.output})"


@dataclass
class Job:
    """What an app has gathered so far: its name, its sources and its outputs in the order written."""

    name: str
    reads: list[Read] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)


def by(keys: tuple[Expr, ...], text: str) -> str:
    return f"by {', '.join(map(str, keys))}: {text}" if keys else text


def function_name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)


def upstream(node: Node) -> Iterator[Node]:
    """The node and all before it, each once, inputs first."""
    seen: set[int] = set()

    def visit(at: Node) -> Iterator[Node]:
        if id(at) in seen:
            return
        seen.add(id(at))
        for before in at.inputs:
            yield from visit(before)
        yield at

    yield from visit(node)


def all_nodes(job: Job) -> list[Node]:
    """Every node of a job, inputs first."""
    found: dict[int, Node] = {}
    for write in job.writes:
        for node in upstream(write):
            found.setdefault(id(node), node)
    return list(found.values())
