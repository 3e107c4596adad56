"""Bytes as they are: the value as one binary column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headrace.errors import InvalidSchema
from headrace.serde._serde import Serde, quoted


@dataclass(frozen=True, slots=True)
class Raw(Serde):
    @property
    def text(self) -> str:
        return "bytes"

    def decoder(self, bytes_: str, ddl: str) -> str:
        return bytes_

    def encoder(self, columns: list[str]) -> str:
        if len(columns) != 1:
            raise InvalidSchema(
                f"bytes are one column, but there are {len(columns)}: {', '.join(columns)}",
                hint="select one column first, or write value=hr.json()",
            )
        return f"CAST({quoted(columns[0])} AS BINARY)"

    def encode(self, row: Mapping[str, Any] | Any) -> bytes:
        value = next(iter(row.values())) if isinstance(row, Mapping) and len(row) == 1 else row
        return value if isinstance(value, bytes) else str(value).encode()

    def decode(self, value: bytes) -> Any:
        return value


def raw() -> Raw:
    """The value as bytes, undecoded.

    >>> raw().decode(b"\\x00")
    b'\\x00'
    """
    return Raw()
