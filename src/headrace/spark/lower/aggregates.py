"""Verbs that keep state: running results per key, and windows on Spark's own operator."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.errors import InvalidSchema, InvalidWindow
from headrace.model.expression import Expr
from headrace.model.modes import Mode
from headrace.model.windows._window import TimeOf, Window
from headrace.model.windows.session import Session
from headrace.model.windows.sliding import Sliding
from headrace.model.windows.tumbling import Tumbling
from headrace.plan import nodes
from headrace.spark.lower.reading import event_time_of
from headrace.spark.lower.rows import column
from headrace.spark.python_state import fold_group, fold_with_state
from headrace.spark.translate import blame
from headrace.time import interval

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from headrace.spark.compile import Compiler


def aggregate(compiler: Compiler, node: nodes.Aggregate) -> DataFrame:
    frame = compiler.frame(node.input)
    with compiler.blame(node):
        return frame.groupBy(*map(column, node.keys)).agg(*map(column, node.aggregates))


def window_aggregate(compiler: Compiler, node: nodes.WindowAggregate) -> DataFrame:
    frame = compiler.frame(node.input)
    with compiler.blame(node, node.window_origin):
        cut = window_column(node.window, _time(node, frame)).alias("window")
        keys = [column(key) for key in node.keys]
    with compiler.blame(node):
        grouped = frame.groupBy(*keys, cut)
        return grouped.agg(*map(column, node.aggregates))


def window_column(window: Window, time: Any) -> Column:
    """A window as the column that Spark groups by."""
    return _WINDOWS[type(window)](window, time)


def _time(node: nodes.WindowAggregate, frame: DataFrame) -> Any:
    from pyspark.sql import functions as F

    if node.window.on is TimeOf.PROCESSING:
        return F.current_timestamp()
    timed = event_time_of(frame)
    if timed is None:
        raise InvalidWindow(
            "the stream has no event time to cut windows by",
            hint="name its column where it is read: app.read(…, event_time='ts'), and keep that column;"
            " or cut by processing time: on='processing'",
            origin=node.window_origin,
        )
    return F.col(timed[0])


def _tumbling(window: Tumbling, time: Any) -> Column:
    from pyspark.sql import functions as F

    return F.window(time, interval(window.size), interval(window.size), interval(window.offset))


def _sliding(window: Sliding, time: Any) -> Column:
    from pyspark.sql import functions as F

    return F.window(time, interval(window.size), interval(window.every))


def _session(window: Session, time: Any) -> Column:
    from pyspark.sql import functions as F

    gap = interval(window.gap) if isinstance(window.gap, int) else column(Expr(window.gap.value))
    return F.session_window(time, gap)


_WINDOWS: dict[type[Window], Callable[[Any, Any], Column]] = {
    Tumbling: _tumbling,
    Sliding: _sliding,
    Session: _session,
}


def reduce(compiler: Compiler, node: nodes.Reduce) -> DataFrame:
    frame = compiler.frame(node.input)
    with compiler.blame(node):
        names = [f"__headrace_key_{at}" for at in range(len(node.keys))]
        keyed = frame.withColumns(
            {name: column(Expr(key.value)) for name, key in zip(names, node.keys, strict=True)}
        )
    _no_state_in(frame, node)
    if compiler.mode is Mode.BATCH:
        return keyed.groupBy(*names).applyInPandas(fold_group(node.function, frame.columns), frame.schema)
    with blame(node.origin):
        return keyed.groupBy(*names).applyInPandasWithState(
            fold_with_state(node.function, frame.columns, frame.schema.json()),
            outputStructType=frame.schema,
            stateStructType=frame.schema,
            outputMode="Update",
            timeoutConf="NoTimeout",
        )


def _no_state_in(frame: DataFrame, node: nodes.Reduce) -> None:
    if any(field.dataType.simpleString().startswith("interval") for field in frame.schema.fields):
        raise InvalidSchema(
            "reduce cannot keep an interval column", hint="cast it to a number first", origin=node.origin
        )
