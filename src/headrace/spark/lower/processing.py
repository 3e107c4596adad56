"""A Python function over rows, state and timers: the kernel on both sides of Spark's own Arrow exchange."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from headrace.errors import InvalidSchema
from headrace.model.expression import Expr
from headrace.plan import nodes
from headrace.plan.process import Process
from headrace.spark.engine import kernel
from headrace.spark.lower.rows import column
from headrace.spark.python_process import ProcessMapper
from headrace.spark.schemas import struct

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType, StructType

    from headrace.spark.compile import Compiler

RESULT = "__headrace_r_"


def process(compiler: Compiler, node: Process) -> DataFrame:
    """The rows that the function gives."""
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    frame = compiler.frame(node.input)
    results = struct(node.schema)
    state = struct(node.state.schema) if node.state.schema is not None else StructType()
    _no_intervals(frame.schema, node)
    with compiler.blame(node):
        hidden = [f"__headrace_k{at}" for at in range(len(node.keys))]
        keyed = frame.withColumns(
            {name: column(Expr(key.value)) for name, key in zip(hidden, node.keys, strict=True)}
        )
        keyed.schema  # noqa: B018 - Spark reads the keys here
    spec = json.dumps(
        {
            "operator": compiler.operator(node),
            "place": compiler.setting.place,
            "idle": min((read.idle for read in _reads(node)), default=nodes.IDLE),
            "roster": compiler.roster(node),
            "ticks": compiler.ticks(node),
            "state": state.json(),
        }
    )
    back = _back(results, state)
    mapper = ProcessMapper(
        node.function,
        node.on_timer,
        columns=frame.columns,
        keys=[key.name or str(key) for key in node.keys],
        state=node.state,
        results_json=results.json(),
        back_json=back.json(),
        name=nodes.function_name(node.named),
    )
    with compiler.blame(node):
        gathered = DataFrame(kernel().Kernel.gather(keyed._jdf, spec, hidden), compiler.spark)
        mapped = gathered.mapInArrow(mapper, back)
        return DataFrame(kernel().Kernel.keep(mapped._jdf, spec, len(results.fields)), compiler.spark)


def _back(results: StructType, state: StructType) -> StructType:
    """The columns that come back from Python: what steers them, results, state, timers."""
    from pyspark.sql.types import BinaryType, StructField, StructType

    first = [StructField(f"__headrace_{name}", kind) for name, kind in _first()]
    made = [StructField(RESULT + field.name, field.dataType) for field in results.fields]
    held = [StructField(f"__headrace_s{at}", field.dataType) for at, field in enumerate(state.fields)]
    return StructType([*first, *made, *held, StructField("__headrace_timers", BinaryType())])


def _first() -> list[tuple[str, DataType]]:
    from pyspark.sql.types import IntegerType, LongType

    return [("kind", IntegerType()), ("key", IntegerType()), ("time", LongType()), ("mark", LongType())]


def _no_intervals(schema: StructType, node: nodes.Node) -> None:
    if any(field.dataType.simpleString().startswith("interval") for field in schema.fields):
        raise InvalidSchema(
            "process() cannot be handed an interval column",
            hint="cast it to a number first",
            origin=node.origin,
        )


def _reads(node: nodes.Node) -> list[nodes.Read]:
    return [before for before in nodes.upstream(node) if isinstance(before, nodes.Read)]
