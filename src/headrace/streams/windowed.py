"""A stream cut into windows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from inspect import signature
from typing import TYPE_CHECKING, Any

from headrace.errors import InvalidExpression, InvalidOption, InvalidTrigger, InvalidWindow, Unsupported
from headrace.model.accumulation import Accumulation
from headrace.model.expression import Expr, Expression
from headrace.model.modes import choice
from headrace.model.schema import Declared
from headrace.model.schema import schema as to_schema
from headrace.model.triggers import _trigger
from headrace.model.triggers._trigger import Trigger
from headrace.model.windows._window import TimeOf, Window
from headrace.model.windows.session import Session
from headrace.model.windows.sliding import Sliding
from headrace.model.windows.tumbling import Tumbling
from headrace.origin import here
from headrace.plan import nodes
from headrace.plan.nodes import Job, KernelWindow, Node
from headrace.streams.stream import Stream, aggregates_of
from headrace.time import Duration, micros, show

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    Applied = Callable[[pd.DataFrame], pd.DataFrame] | Callable[[pa.Table], pa.Table]
else:
    Applied = Any


class WindowedStream:
    """Rows by window (and key): what can be computed of each window, and when it is told."""

    def __init__(self, windows: KernelWindow, job: Job | None) -> None:
        self._windows = windows
        self._job = job

    def trigger(
        self, trigger: Trigger, accumulation: str | Accumulation = Accumulation.ACCUMULATING
    ) -> WindowedStream:
        """Say when a window tells its result, and whether a later pane holds all so far or just what is new.

        Results then have a column `pane`: timing ('early', 'on_time', 'late'), index, final.
        """
        told = _trigger.trigger(trigger, ".trigger()")
        if self._windows.trigger is not None:
            raise InvalidTrigger(
                f"the window has a trigger already: {self._windows.trigger.text}",
                hint="put several into one: hr.any_of(…), hr.all_of(…) or hr.in_order(…)",
            )
        _fits(told, self._windows.window)
        said = choice(Accumulation, accumulation, "accumulation")
        windows = replace(self._windows, trigger=told, accumulation=said, trigger_origin=here())
        return WindowedStream(windows, self._job)

    def agg(self, **aggregates: Expression) -> WindowResult:
        """A result per window: columns of the key, `window` (start, end), and these."""
        windows = replace(self._windows, aggregates=aggregates_of(aggregates), origin=here())
        _distinct([name_of(key) for key in windows.keys], list(windows.pane_columns), list(aggregates))
        if runs_on_spark(windows):
            return WindowResult(_on_spark(windows), self._job, windows)
        return WindowResult(nodes.Results(input=windows, origin=here()), self._job, windows)

    def apply(self, function: Applied, schema: Declared) -> WindowResult:
        """Hand all rows of each window to a Python function, as a pandas.DataFrame or a pyarrow.Table.

        The function gives rows of the schema, in the same form; they stand behind the keys and `window`. It
        takes the form that its parameter is annotated with, and a pandas.DataFrame if it is not.
        """
        if not callable(function):
            raise InvalidOption(
                f"{function!r} is not a function", hint="give a function of a window's rows, a DataFrame"
            )
        declared = replace(to_schema(schema), origin=here())
        gathered = Expr("collect_list(struct(*))", nodes.ROWS, here())
        windows = replace(self._windows, aggregates=(gathered,), origin=here())
        _distinct([name_of(key) for key in windows.keys], list(windows.pane_columns), declared.names)
        results = nodes.Results(input=windows, origin=here())
        node = nodes.ApplyRows(
            input=results, function=function, schema=declared, arrow=_takes_arrow(function), origin=here()
        )
        return WindowResult(node, self._job, windows)

    def __repr__(self) -> str:
        return f"WindowedStream({self._windows.window.text} of {self._windows.input})"


class WindowResult(Stream):
    """What windows give; `.late` is the rows that came too late for them."""

    def __init__(self, node: Node, job: Job | None, windows: KernelWindow) -> None:
        super().__init__(node, job)
        self._windows = windows

    @property
    def late(self) -> Stream:
        """The rows that came too late, once for each window: with their columns, `window` and `watermark`."""
        if self._windows.late == "drop":
            raise Unsupported(
                "the window drops its late rows, as late='drop' says",
                hint="leave late='drop' out, and they are a stream",
            )
        return self._then(nodes.Late(input=self._windows, origin=here()))


def cut(
    node: Node,
    job: Job | None,
    keys: tuple[Expr, ...],
    window: Window,
    lateness: Duration,
    late: str | None,
    ttl: Duration | None = None,
) -> WindowedStream:
    """The stream cut into windows, once it is sure that these words go together."""
    if not isinstance(window, Window):
        raise InvalidWindow(f"{window!r} is not a window", hint="give one: hr.tumbling('1 minute')")
    if late not in (None, "drop"):
        raise InvalidOption(
            f"late={late!r} is not a way to treat late rows", hint="write late='drop', or leave it out"
        )
    length = micros(lateness, "lateness", zero=True)
    if length and not window.ends_in_event_time:
        raise InvalidWindow(
            f"lateness {show(length)} for '{window.text}', which has no end in event time",
            hint="leave lateness out: no row is late for such a window",
        )
    windows = KernelWindow(
        input=node,
        keys=keys,
        window=window,
        lateness=length,
        late=late,
        ttl=None if ttl is None else _lifetime(ttl, window),
        window_origin=here(),
    )
    return WindowedStream(windows, job)


def _lifetime(ttl: Duration, window: Window) -> int:
    """How long a silent key is kept, for windows that nothing else would free."""
    length = micros(ttl, "ttl")
    if not window.ends_by_rows:
        raise InvalidWindow(
            f"ttl {show(length)} for '{window.text}', which is freed when its time is over",
            hint="leave ttl out; lateness says how long the window waits for late rows",
        )
    return length


def runs_on_spark(windows: KernelWindow) -> bool:
    """Whether Spark's own operator means the same by these words: it drops late rows, and has no triggers."""
    return (
        windows.late == "drop"
        and windows.trigger is None
        and not windows.lateness
        and isinstance(windows.window, Tumbling | Sliding | Session)
        and windows.window.on is not TimeOf.INGESTION
    )


def name_of(key: Expr) -> str:
    return key.name or str(key)


def _on_spark(windows: KernelWindow) -> nodes.WindowAggregate:
    return nodes.WindowAggregate(
        input=windows.input,
        keys=windows.keys,
        window=windows.window,
        late=windows.late,
        aggregates=windows.aggregates,
        window_origin=windows.window_origin,
        origin=windows.origin,
    )


def _fits(trigger: Trigger, window: Window) -> None:
    if not trigger.fires:
        raise InvalidTrigger(
            f"'{trigger.text}' can never fire, so that the window would tell nothing",
            hint="leave the trigger out, and the window tells its result when it is complete",
        )
    if trigger.asks_watermark and not window.ends_in_event_time:
        raise InvalidTrigger(
            f"at_watermark() for '{window.text}', which has no end in event time",
            hint="leave the trigger out, and the window tells its result when it is complete; "
            "or take one that goes by rows or the clock: hr.each_row(), hr.every('30 seconds')",
        )


def _takes_arrow(function: Callable[..., Any]) -> bool:
    """Whether the function's first parameter is annotated with Arrow's Table."""
    try:
        parameters = list(signature(function).parameters.values())
    except (TypeError, ValueError):  # what is written in C may tell nothing of its parameters
        return False
    said = parameters[0].annotation if parameters else None
    return getattr(said, "__name__", str(said)).strip("'\"").rpartition(".")[2] == "Table"


def _distinct(*names: list[str]) -> None:
    seen: set[str] = set()
    for name in (name for group in names for name in group):
        if name in seen:
            raise InvalidExpression(
                f"two columns of the result would be called '{name}'",
                hint=f"give yours another name: .key_by(other='{name}'), or .agg(other=…)",
            )
        seen.add(name)
