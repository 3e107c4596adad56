"""Plain text: the value as one string column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headrace.errors import InvalidSchema
from headrace.serde._serde import Serde, quoted


@dataclass(frozen=True, slots=True)
class Text(Serde):
    @property
    def text(self) -> str:
        return "text"

    def decoder(self, bytes_: str, ddl: str) -> str:
        return f"CAST({bytes_} AS STRING)"

    def encoder(self, columns: list[str]) -> str:
        if len(columns) != 1:
            raise InvalidSchema(
                f"text holds one column, but there are {len(columns)}: {', '.join(columns)}",
                hint="select one column first, or write value=hr.json()",
            )
        return f"CAST({quoted(columns[0])} AS STRING)"

    def encode(self, row: Mapping[str, Any] | Any) -> bytes:
        value = next(iter(row.values())) if isinstance(row, Mapping) and len(row) == 1 else row
        return str(value).encode()

    def decode(self, value: bytes) -> Any:
        return value.decode()


def text() -> Text:
    """The value as a string.

    >>> text().encode("a line")
    b'a line'
    """
    return Text()
