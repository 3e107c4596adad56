"""JSON: one object a value, read into the columns of a schema."""

from __future__ import annotations

import json as _json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from headrace.model.schema import Declared, Schema
from headrace.model.schema import schema as to_schema
from headrace.serde._serde import CORRUPT, PERMISSIVE, Serde, literal, options_map, struct_of


@dataclass(frozen=True, slots=True)
class Json(Serde):
    columns: Schema | None
    options: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        return "json"

    @property
    def schema(self) -> Schema | None:
        return self.columns

    def decoder(self, bytes_: str, ddl: str) -> str:
        options = options_map({**dict(self.options), **PERMISSIVE})
        return f"from_json(CAST({bytes_} AS STRING), {literal(f'{ddl}, {CORRUPT} STRING')}, {options})"

    def encoder(self, columns: list[str]) -> str:
        options = {"ignoreNullFields": "false", "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX"}
        return f"to_json({struct_of(columns)}, {options_map({**options, **dict(self.options)})})"

    def encode(self, row: Mapping[str, Any] | Any) -> bytes:
        return _json.dumps(row, default=_plain, separators=(",", ":")).encode()

    def decode(self, value: bytes) -> Any:
        return _json.loads(value)


def json(columns: Declared | None = None, *, options: Mapping[str, str] | None = None) -> Json:
    """JSON objects; a schema says what is read from them ("id string, value double"), writing needs none.

    `options` are those of Spark's `from_json` and `to_json`, such as timestampFormat.

    >>> json("id string").encode({"id": "a"})
    b'{"id":"a"}'
    """
    return Json(None if columns is None else to_schema(columns), tuple((options or {}).items()))


def _plain(value: Any) -> Any:
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="replace")
    raise TypeError(f"{type(value).__name__} is not JSON")
