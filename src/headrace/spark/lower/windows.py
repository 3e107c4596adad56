"""Windows on the kernel's operator, and what is made of its rows: results, late rows, a Python function's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from headrace.errors import InvalidExpression, InvalidWindow
from headrace.model.expression import Expr
from headrace.model.modes import Mode, Output
from headrace.model.windows._window import TimeOf
from headrace.plan import nodes
from headrace.planner.kernel_spec import kernel_spec, predicates
from headrace.serde._serde import quoted
from headrace.spark.engine import kernel
from headrace.spark.lower.rows import column
from headrace.spark.python_windows import WindowMapper
from headrace.spark.schemas import struct
from headrace.spark.translate import first_sentence

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from headrace.spark.compile import Compiler

KIND = "__headrace_kind"
LATE = "__headrace_late_"
RULES = {"gap": "bigint", "delta": "double", "begin": "boolean", "end": "boolean"}
"""What a window asks of each row, and the type in which the kernel takes it."""


def window(compiler: Compiler, node: nodes.KernelWindow) -> DataFrame:
    """Results and late rows of the windows, told apart by their first column."""
    from pyspark.sql import DataFrame

    _timed(node)
    frame = compiler.frame(node.input)
    late = frame.columns if compiler.keeps_late(node) else []
    with compiler.blame(node, node.window_origin):
        keyed = frame.withColumns(
            {f"__headrace_k{at}": column(Expr(key.value)) for at, key in enumerate(node.keys)}
        )
        for key, field in zip(node.keys, keyed.schema.fields[-len(node.keys) :], strict=False):
            _hashable(key, field.dataType.simpleString(), node)
        rules = _rules(node, keyed)
        ruled = keyed.withColumns(rules) if rules else keyed
        ruled.schema  # noqa: B018 - Spark reads the expressions here
    spec = compiler.part(node, "spec", lambda: _spec(compiler, node))
    with compiler.blame(node):
        aggregates = [
            column(Expr(each.value, f"a{at}", each.origin))._jc for at, each in enumerate(node.aggregates)
        ]
        keys = [f"__headrace_k{at}" for at in range(len(node.keys))]
        try:
            made = kernel().Kernel.windows(ruled._jdf, json.dumps(spec), keys, list(rules), late, aggregates)
        except Exception as error:
            if type(error).__name__ != "UnsupportedOperationException":  # which PySpark makes of the JVM's
                raise
            raise InvalidExpression(
                first_sentence(str(error)),
                hint="give one that can: count(DISTINCT …) can; sum(DISTINCT …) is a sum over collect_set(…)",
                origin=node.origin,
            ) from None
        return DataFrame(made, compiler.spark)


def _spec(compiler: Compiler, node: nodes.KernelWindow) -> dict[str, Any]:
    return kernel_spec(node, _output(compiler, node)) | {
        "operator": compiler.operator(node),
        "place": compiler.setting.place,
        "idle": _idle(node),
        "roster": compiler.roster(node),
        "ticks": compiler.ticks(node),
        "late_read": compiler.keeps_late(node),
    }


def results(compiler: Compiler, node: nodes.Results) -> DataFrame:
    frame = compiler.frame(node.input)
    windows = node.input
    columns = [f"__headrace_{name} AS {name}" for name in windows.pane_columns]
    names = [key.name or str(key) for key in windows.keys]
    shown = [f"__headrace_r{at} AS {quoted(name)}" for at, name in enumerate(names)]
    aggregates = [
        f"__headrace_r{len(names) + at} AS {quoted(str(each.name))}"
        for at, each in enumerate(windows.aggregates)
    ]
    return frame.where(f"{KIND} = 0").selectExpr(*shown, *columns, *aggregates)


def late(compiler: Compiler, node: nodes.Late) -> DataFrame:
    frame = compiler.frame(node.input)
    names = [name.removeprefix(LATE) for name in frame.columns if name.startswith(LATE)]
    columns = [f"{quoted(LATE + name)} AS {quoted(name)}" for name in names]
    return frame.where(f"{KIND} = 1").selectExpr(
        *columns, "__headrace_window AS window", "__headrace_watermark AS watermark"
    )


def apply_rows(compiler: Compiler, node: nodes.ApplyRows) -> DataFrame:
    frame = compiler.frame(node.input)
    target = struct(node.schema)
    carried = [name for name in frame.columns if name != nodes.ROWS]
    schema = frame.select(*(quoted(name) for name in carried)).schema
    for field in target.fields:
        schema = schema.add(field)
    mapper = WindowMapper(node.function, nodes.ROWS, carried, target.json(), schema.json(), node.arrow)
    with compiler.blame(node):
        return frame.mapInArrow(mapper, schema)


def _output(compiler: Compiler, node: nodes.KernelWindow) -> Output:
    """A batch run gives a window's last pane alone, unless panes were asked for by name."""
    if compiler.mode is Mode.BATCH and node.trigger is None:
        return Output.APPEND
    return compiler.setting.output


def _rules(node: nodes.KernelWindow, frame: DataFrame) -> dict[str, Column]:
    """What the window and its trigger ask of each row, as columns: the window's own first."""
    asked = node.window.expressions()
    made: dict[str, Any] = {}
    for name, kind in RULES.items():
        if name in asked:
            made[f"__headrace_{name}"] = _ruled(column(Expr(asked[name].value)), kind, name, frame)
    for at, predicate in enumerate(predicates(node)):
        made[f"__headrace_p{at}"] = column(Expr(predicate.value)).cast("boolean")
    return made


def _ruled(value: Column, kind: str, name: str, frame: DataFrame) -> Column:
    """A session's gap may be an interval or a number of seconds."""
    from pyspark.sql import functions as F

    if name != "gap":
        return value.cast(kind)
    told = frame.select(value.alias("gap")).schema[0].dataType.simpleString()
    if told.startswith("interval"):
        origin = F.lit("1970-01-01 00:00:00").cast("timestamp")
        return F.unix_micros(origin + value)
    return (value.cast("double") * 1_000_000).cast("bigint")


def _hashable(key: Expr, kind: str, node: nodes.KernelWindow) -> None:
    """Raise that rows cannot be dealt out by a key that has no hash; null is a key like any other."""
    if "map<" in kind or "variant" in kind:
        raise InvalidExpression(
            f"the key '{key}' is a {kind}, by which rows cannot be told apart",
            hint="give parts of it, or its text: .key_by(key='to_json(…)')",
            origin=key.origin or node.window_origin,
        )


def _timed(node: nodes.KernelWindow) -> None:
    """Raise that there is no event time, where the window goes by it."""
    timed = node.window.on is TimeOf.EVENT and node.window.ends_in_event_time
    if not timed and node.ttl is None:
        return
    for before in nodes.upstream(node.input):
        if isinstance(before, nodes.KernelWindow) or (isinstance(before, nodes.Read) and before.event_time):
            return
    if node.ttl is not None:
        raise InvalidWindow(
            "ttl goes by event time, and the stream has none",
            hint="name its column where it is read: app.read(…, event_time='ts'); or leave ttl out",
            origin=node.window_origin,
        )
    raise InvalidWindow(
        "the stream has no event time to cut windows by",
        hint="name its column where it is read: app.read(…, event_time='ts');"
        " or cut by processing time: on='processing'",
        origin=node.window_origin,
    )


def _idle(node: nodes.KernelWindow) -> int:
    """How long a source partition may be silent: the least that the sources say."""
    reads = [before for before in nodes.upstream(node) if isinstance(before, nodes.Read)]
    return min((before.idle for before in reads), default=nodes.IDLE)
