"""Verbs that treat each row by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.errors import InvalidExpression, InvalidSchema, UnknownColumn
from headrace.model.expression import Expr
from headrace.plan import nodes
from headrace.spark.engine import as_column, kernel
from headrace.spark.lower.reading import event_time_of, watermarked
from headrace.spark.python_rows import RowMapper
from headrace.spark.schemas import struct

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from headrace.spark.compile import Compiler


STAMP = "__headrace_stamp"


def column(expression: Expr) -> Column:
    """An expression as a Column, under its name."""
    from pyspark.sql import functions as F

    value = F.expr(expression.value) if isinstance(expression.value, str) else expression.value
    return value.alias(expression.name) if expression.name else value


def where(compiler: Compiler, node: nodes.Where) -> DataFrame:
    frame = compiler.frame(node.input)
    with compiler.blame(node, node.condition.origin):
        return frame.where(column(node.condition))


def select(compiler: Compiler, node: nodes.Select) -> DataFrame:
    frame = compiler.frame(node.input)
    with compiler.blame(node):
        return frame.select(*(column(chosen) for chosen in node.columns))


def with_columns(compiler: Compiler, node: nodes.WithColumns) -> DataFrame:
    frame = compiler.frame(node.input)
    with compiler.blame(node):
        return frame.withColumns({str(added.name): column(Expr(added.value)) for added in node.columns})


def drop(compiler: Compiler, node: nodes.Drop) -> DataFrame:
    frame = compiler.frame(node.input)
    _known(node, node.names, frame)
    return frame.drop(*node.names)


def rename(compiler: Compiler, node: nodes.Rename) -> DataFrame:
    frame = compiler.frame(node.input)
    _known(node, [old for old, _new in node.names], frame)
    return frame.withColumnsRenamed(dict(node.names))


def map_rows(compiler: Compiler, node: nodes.MapRows) -> DataFrame:
    frame = compiler.frame(node.input)
    target = struct(node.schema)
    if compiler.tracking:
        return _stamped_map(compiler, node, frame)
    mapper = RowMapper(node.function, frame.columns, target.json(), node.flat)
    with compiler.blame(node):
        mapped = frame.mapInArrow(mapper, target)
    timed = event_time_of(frame)
    if timed is None or timed[0] not in mapped.columns:
        return mapped
    return watermarked(mapped, *timed)


def _stamped_map(compiler: Compiler, node: nodes.MapRows, frame: DataFrame) -> DataFrame:
    """The same with each row's stamp: where it is from goes into Python and back with what it became."""
    target = struct(node.schema)
    stamped = frame.withColumn(STAMP, as_column(kernel().Kernel.stamp()))
    mapper = RowMapper(node.function, frame.columns, target.json(), node.flat, stamp=STAMP)
    schema = struct(node.schema).add(stamped.schema[STAMP])
    with compiler.blame(node):
        mapped = stamped.mapInArrow(mapper, schema)
    back = as_column(kernel().Kernel.restamped(mapped[STAMP]._jc))
    return mapped.where(back).drop(STAMP)


def union(compiler: Compiler, node: nodes.Union) -> DataFrame:
    first, *others = (compiler.frame(before) for before in node.several)
    together = first
    for other in others:
        if sorted(other.columns) != sorted(first.columns):
            raise InvalidSchema(
                f"the streams have different columns: {', '.join(first.columns)} and "
                f"{', '.join(other.columns)}",
                hint="select() the same columns of each before the union",
                origin=node.origin,
            )
        try:
            with compiler.blame(node):
                together = together.unionByName(other)
        except InvalidSchema:
            raise _clash(together, other, node) from None
    return together


def _clash(one: DataFrame, other: DataFrame, node: nodes.Node) -> InvalidSchema:
    """What keeps two streams of the same columns from being one."""
    for name in one.columns:
        kinds = [frame.schema[name].dataType.simpleString() for frame in (one, other)]
        if kinds[0] != kinds[1]:
            break
    return InvalidSchema(
        f"column '{name}' is {kinds[0]} in one stream and {kinds[1]} in another",
        hint="cast it to one type before the union",
        origin=node.origin,
    )


def sql(compiler: Compiler, node: nodes.Sql) -> DataFrame:
    frame: Any = compiler.frame(node.input)
    with compiler.blame(node):
        try:
            return compiler.spark.sql(node.query, stream=frame)
        except (KeyError, IndexError, ValueError) as error:
            raise InvalidExpression(
                f"the query has braces that are not {{stream}}: {error}",
                hint="write {stream} for the stream, and {{ }} where the text itself has braces",
                origin=node.origin,
            ) from None


def _known(node: nodes.Node, names: Any, frame: DataFrame) -> None:
    for name in names:
        if name not in frame.columns:
            raise UnknownColumn(name, frame.columns, origin=node.origin)
