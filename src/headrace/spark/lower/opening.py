"""Sources opened: rows as the source has them, still undecoded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.connect.source import Reading, Topics
from headrace.errors import InvalidSchema, MissingFile
from headrace.model.modes import Mode
from headrace.plan.nodes import Read
from headrace.serde._serde import literal
from headrace.spark.schemas import struct
from headrace.spark.translate import blame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from headrace.spark.compile import Compiler

FILE = "__headrace_file"
MARKER = "__headrace_marker"
"""A column that tests add: a time that moves the watermark, in a row that is no row of the stream."""
PARTITION = "__headrace_partition"
SEQUENCE = "__headrace_sequence"
"""Columns that tests add: the source partition of a row, and its number among all of them."""
SOURCE, TOPICS = "headrace.source", "headrace.topics"
"""Options by which the kernel finds a source in a plan, to read its partitions from its offsets."""


def opened(compiler: Compiler, node: Read, reading: Reading) -> DataFrame:
    """The source's own rows: those that a test gives, a DataFrame that is there, or what Spark reads."""
    given = compiler.inputs(node)
    if given is not None:
        return given
    if reading.frame is not None:
        return reading.frame
    reader = compiler.spark.read if compiler.mode is Mode.BATCH else compiler.spark.readStream
    reader = reader.format(reading.format).options(**reading.options)
    if compiler.mode.streaming and node.source.topics is not Topics.NONE:
        reader = reader.option(SOURCE, compiler.number(node)).option(TOPICS, node.source.topics)
    if reading.schema is not None:
        reader = reader.schema(struct(reading.schema))
    with blame(node.origin, what=node.name):
        try:
            frame = reader.load(reading.path) if reading.path else reader.load()
        except Exception as error:
            raise _told(error, node, reading) from None
        if reading.skip is not None:
            frame = frame.where(f"value <> {literal(reading.skip)}")
        return frame


def with_file(frame: DataFrame, reading: Reading) -> DataFrame:
    """The rows with the name of their file; Spark then reads all that it knows of a file for each of them."""
    if reading.path is None or FILE in frame.columns:
        return frame
    return frame.selectExpr("*", f"_metadata.file_path AS {FILE}")


def _told(error: Exception, node: Read, reading: Reading) -> Exception:
    said = str(error)
    if "PATH_NOT_FOUND" in said or "does not exist" in said:
        return MissingFile(
            f"there is no {reading.path} to read", hint="create it, or mend the path", origin=node.origin
        )
    if "chema must be specified" in said or "UNABLE_TO_INFER_SCHEMA" in said:
        return InvalidSchema(
            f"{node.source.text} cannot be read without a schema",
            hint="say its columns: schema='id string, value double'",
            origin=node.origin,
        )
    return error
