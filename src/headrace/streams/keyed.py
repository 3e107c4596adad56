"""A stream cut by key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headrace.errors import InvalidOption
from headrace.model.expression import Expr, Expression
from headrace.model.schema import Declared
from headrace.model.state import DeclaredState
from headrace.model.windows._window import Window
from headrace.origin import here
from headrace.plan import nodes
from headrace.plan.nodes import Job, Node
from headrace.streams.processing import processed
from headrace.streams.stream import Stream, aggregates_of
from headrace.streams.windowed import WindowedStream, cut
from headrace.time import Duration


class KeyedStream:
    """Rows by key: what can be said of each key's rows."""

    def __init__(self, node: Node, job: Job | None, keys: tuple[Expr, ...]) -> None:
        self._node = node
        self._job = job
        self._keys = keys

    def agg(self, **aggregates: Expression) -> Stream:
        """A running result per key: `agg(n=F.count("*"), worst="max(value)")`."""
        node = nodes.Aggregate(
            input=self._node, keys=self._keys, aggregates=aggregates_of(aggregates), origin=here()
        )
        return Stream(node, self._job)

    def reduce(self, function: Callable[[Any, Any], Any]) -> Stream:
        """A running row per key: `function(so_far, row)` returns the new row, as a dict or a tuple."""
        if not callable(function):
            raise InvalidOption(f"{function!r} is not a function", hint="give a function of two rows")
        node = nodes.Reduce(input=self._node, keys=self._keys, function=function, origin=here())
        return Stream(node, self._job)

    def process(
        self,
        function: Any,
        schema: Declared,
        *,
        state: DeclaredState = None,
        on_timer: Callable[..., Any] | None = None,
    ) -> Stream:
        """Call a Python function with each row, its key's state and timers: `function(row, state, timers)`.

        It yields rows of the schema, as dicts or tuples (or returns one, a list of them, or None). `state` is
        columns ("n long, last timestamp") or a dataclass, whose objects the function changes as it likes.
        `on_timer(timer, state, timers)` takes timers that fire. In place of two functions an object may have
        both, as its methods row() and timer(). Whoever needs no timers leaves the last parameter out.
        """
        node = processed(self._node, self._keys, function, schema, state, on_timer)
        return Stream(node, self._job)

    def window(
        self,
        window: Window,
        *,
        lateness: Duration = "0 seconds",
        late: str | None = None,
        ttl: Duration | None = None,
    ) -> WindowedStream:
        """Cut each key's rows into windows.

        A window takes rows until `lateness` after its end; a row that comes later is in the result's `.late`,
        or is dropped with late="drop". Windows that rows end, and not a time, are completed and forgotten
        once the watermark is `ttl` past the key's last row; without it they wait for ever.
        """
        return cut(self._node, self._job, self._keys, window, lateness, late, ttl)

    def __repr__(self) -> str:
        return f"KeyedStream({self._node} by {', '.join(map(str, self._keys))})"
