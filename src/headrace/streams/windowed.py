"""A stream cut into windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.errors import InvalidOption, InvalidWindow
from headrace.model.expression import Expr, Expression
from headrace.model.windows._window import Window
from headrace.origin import Origin, here
from headrace.plan import nodes
from headrace.plan.nodes import Job, Node

if TYPE_CHECKING:
    from headrace.streams.stream import Stream


class WindowedStream:
    """Rows by window (and key): what can be computed of each window."""

    def __init__(
        self,
        node: Node,
        job: Job | None,
        keys: tuple[Expr, ...],
        window: Window,
        late: str | None,
        origin: Origin | None,
    ) -> None:
        if late not in (None, "drop"):
            raise InvalidOption(
                f"late={late!r} is not a way to treat late rows", hint="write late='drop', or leave it out"
            )
        self._node = node
        self._job = job
        self._keys = keys
        self._window = window
        self._late = late
        self._origin = origin

    def agg(self, **aggregates: Expression) -> Stream:
        """A result per window: columns of the key, `window` (start, end), and these."""
        from headrace.streams.stream import Stream, aggregates_of

        node = nodes.WindowAggregate(
            input=self._node,
            keys=self._keys,
            window=self._window,
            late=self._late,
            aggregates=aggregates_of(aggregates),
            window_origin=self._origin,
            origin=here(),
        )
        return Stream(node, self._job)

    def __repr__(self) -> str:
        return f"WindowedStream({self._window.text} of {self._node})"


def checked(window: Window) -> Window:
    if not isinstance(window, Window):
        raise InvalidWindow(f"{window!r} is not a window", hint="give one: hr.tumbling('1 minute')")
    return window
