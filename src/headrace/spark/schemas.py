"""Declared schemas as Spark's types."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from headrace.errors import InvalidSchema
from headrace.model.schema import Schema
from headrace.spark.engine import jvm
from headrace.spark.translate import first_sentence

if TYPE_CHECKING:
    from pyspark.sql.types import StructType


def struct(schema: Schema) -> StructType:
    """A declared schema as a Spark type, or what is wrong with it at the line that declares it."""
    from pyspark.sql.types import StructType

    if schema.is_json:
        return StructType.fromJson(json.loads(schema.text))
    try:
        found = StructType.fromDDL(schema.text)
    except Exception as error:
        raise InvalidSchema(
            f"'{schema.text}' is not a schema: {_short(first_sentence(str(error)))}",
            hint="write name and type pairs: 'station_id string, value double'",
            origin=schema.origin,
        ) from None
    if not isinstance(found, StructType):
        raise InvalidSchema(
            f"'{schema.text}' is a type, and not columns",
            hint="write name and type pairs: 'station_id string, value double'",
            origin=schema.origin,
        )
    return found


def ddl(fields: StructType) -> str:
    """A Spark type as the text that its parsers take."""
    return str(jvm().org.apache.spark.sql.types.DataType.fromJson(fields.json()).toDDL())


def _short(text: str) -> str:
    return text[0].lower() + text[1:] if text else text
