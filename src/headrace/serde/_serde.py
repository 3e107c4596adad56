"""What a format is: SQL that Spark runs on rows, and the same in Python for tests and the command line."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headrace.model.schema import Schema

CORRUPT = "__headrace_corrupt"
"""The column in which a parser leaves the text that it could not read."""

PERMISSIVE = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": CORRUPT}


@dataclass(frozen=True, slots=True)
class Serde(ABC):
    """A format of keys and values."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The format in a word or two, for `explain`."""

    @property
    def schema(self) -> Schema | None:
        """The columns that it yields; None when it yields one column, the value itself."""
        return None

    @abstractmethod
    def decoder(self, bytes_: str, ddl: str) -> str:
        """SQL that turns the bytes into a value, or into a struct of `ddl` columns and CORRUPT."""

    @abstractmethod
    def encoder(self, columns: list[str]) -> str:
        """SQL that turns the columns into the value to write."""

    @abstractmethod
    def encode(self, row: Mapping[str, Any] | Any) -> bytes:
        """One row as bytes, in Python."""

    @abstractmethod
    def decode(self, value: bytes) -> Any:
        """Bytes as a Python value."""


def quoted(name: str) -> str:
    """A column's name as Spark's SQL takes it."""
    return "`" + name.replace("`", "``") + "`"


def literal(text: str) -> str:
    """A text as Spark's SQL takes it."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def options_map(options: Mapping[str, str]) -> str:
    """Options as the map that Spark's parsing functions take."""
    return f"map({', '.join(literal(part) for pair in options.items() for part in pair)})"


def struct_of(columns: list[str]) -> str:
    return f"struct({', '.join(quoted(column) for column in columns)})"
