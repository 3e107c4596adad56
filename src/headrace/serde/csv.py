"""CSV: one line a value, read into the columns of a schema."""

from __future__ import annotations

import csv as _csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headrace.errors import InvalidOption
from headrace.model.schema import Declared, Schema
from headrace.model.schema import schema as to_schema
from headrace.serde._serde import CORRUPT, PERMISSIVE, Serde, literal, options_map, struct_of


@dataclass(frozen=True, slots=True)
class Csv(Serde):
    columns: Schema | None
    separator: str
    options: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        return "csv"

    @property
    def schema(self) -> Schema | None:
        return self.columns

    def decoder(self, bytes_: str, ddl: str) -> str:
        options = options_map({**dict(self.options), **PERMISSIVE, "sep": self.separator})
        return f"from_csv(CAST({bytes_} AS STRING), {literal(f'{ddl}, {CORRUPT} STRING')}, {options})"

    def encoder(self, columns: list[str]) -> str:
        return f"to_csv({struct_of(columns)}, {options_map({**dict(self.options), 'sep': self.separator})})"

    def encode(self, row: Mapping[str, Any] | Any) -> bytes:
        line = io.StringIO()
        values = row
        if isinstance(row, Mapping):
            values = map(row.get, self.columns.names) if self.columns else row.values()
        _csv.writer(line, delimiter=self.separator, lineterminator="").writerow(values)
        return line.getvalue().encode()

    def decode(self, value: bytes) -> Any:
        return next(_csv.reader([value.decode()], delimiter=self.separator))


def csv(
    columns: Declared | None = None, *, separator: str = ",", options: Mapping[str, str] | None = None
) -> Csv:
    """Lines of values in the order of the schema ("id string, value double"); writing needs no schema.

    `options` are those of Spark's `from_csv` and `to_csv`, such as nullValue.

    >>> csv("id string, n int").encode({"id": "a", "n": 1})
    b'a,1'
    """
    if len(separator) != 1:
        raise InvalidOption(
            f"separator {separator!r} is not one character", hint="use ',', ';', '\\t' or '|'"
        )
    return Csv(None if columns is None else to_schema(columns), separator, tuple((options or {}).items()))
