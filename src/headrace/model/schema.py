"""Columns with types, as the user declared them; Spark reads the types when the job is resolved."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headrace.errors import InvalidSchema
from headrace.origin import Origin, here

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

    Declared = str | StructType
else:
    Declared = Any


@dataclass(frozen=True, slots=True)
class Schema:
    """A schema as DDL text ("a string, b double") or as JSON of a Spark type, and its line."""

    text: str
    is_json: bool = False
    origin: Origin | None = None

    @property
    def names(self) -> list[str]:
        """The names of the columns, as far as can be told without Spark: types in brackets are left out."""
        if self.is_json:
            return [field["name"] for field in json.loads(self.text)["fields"]]
        flat = re.sub(r"<[^<>]*>|\([^()]*\)", "", self.text)
        while "<" in flat:
            flat = re.sub(r"<[^<>]*>", "", flat)
        return [part.split()[0].strip("`:") for part in flat.split(",") if part.strip()]

    def __str__(self) -> str:
        return self.text


def schema(declared: Declared) -> Schema:
    """Take DDL text or a Spark StructType."""
    if isinstance(declared, str) and declared.strip():
        return Schema(declared.strip(), origin=here())
    if not isinstance(declared, str) and type(declared).__name__ == "StructType":
        return Schema(declared.json(), is_json=True, origin=here())
    raise InvalidSchema(
        f"{declared!r} is not a schema",
        hint="write 'station_id string, value double', or give a pyspark StructType",
    )
