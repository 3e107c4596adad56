"""Sources in memory that stand in for a job's own, fed by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from headrace.connect.source import Reading
from headrace.model.modes import Mode
from headrace.model.schema import Schema
from headrace.plan.nodes import Read
from headrace.settings import Project
from headrace.spark.engine import kernel
from headrace.spark.lower.opening import FILE, MARKER, PARTITION, SEQUENCE
from headrace.spark.schemas import struct
from headrace.time import instant

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import DataType, StructType

NOTHING = datetime(1970, 1, 1, tzinfo=UTC)
"""What a marker says that moves no watermark."""
Given = Mapping[str, Any] | str | bytes


@dataclass
class Input:
    """One source of the job, in memory: rows pass the same decoding as the real source's."""

    read: Read
    spark: SparkSession
    project: Project
    offsets: dict[int, int] = field(default_factory=dict)
    sequence: int = 0

    def __post_init__(self) -> None:
        self.reading: Reading = self.read.source.reading(Mode.MICRO_BATCH, self.project)
        self.schema = self._schema()
        self._source = kernel().TestInput.of(self.spark._jsparkSession, self.schema.json())

    @property
    def frame(self) -> DataFrame:
        from pyspark.sql import DataFrame

        return DataFrame(self._source.frame(), self.spark)

    def feed(self, rows: Iterable[tuple[int, Given]], now: datetime) -> None:
        """Add rows, each with its source partition, as one piece."""
        self._add([self._row(row, partition, now) | {PARTITION: partition} for partition, row in rows])

    def mark(self, moment: datetime, partitions: Iterable[int]) -> None:
        """Move the partitions' watermarks as a row of that event time would, without a row."""
        self._add([{MARKER: moment, PARTITION: partition} for partition in partitions])

    def tick(self) -> None:
        """Nothing comes but a batch, so that the operators look at the clock."""
        self._add([{MARKER: NOTHING, PARTITION: 0}])

    def _add(self, rows: list[dict[str, Any]]) -> None:
        for row in rows:
            row[SEQUENCE] = self.sequence
            self.sequence += 1
        names = self.schema.names
        values = [tuple(row.get(name) for name in names) for row in rows]
        self._source.feed(self.spark.createDataFrame(values, self.schema)._jdf)

    def _row(self, row: Given, partition: int, now: datetime) -> dict[str, Any]:
        if not self.reading.raw:
            if not isinstance(row, Mapping):
                row = {self.schema.names[0]: row}
            return {name: fitted(row.get(name), self.schema[name].dataType) for name in self.schema.names}
        offset = self.offsets.get(partition, 0)
        self.offsets[partition] = offset + 1
        made: dict[str, Any] = {"topic": self.read.source.address, "partition": partition, "offset": offset}
        made |= {"timestamp": now, FILE: self.read.source.address}
        return made | self._encoded(row)

    def _encoded(self, row: Given) -> dict[str, Any]:
        value, key = self.reading.raw.get("value"), self.reading.raw.get("key")
        assert value is not None
        if isinstance(row, bytes | str):
            return {"value": bytearray(row if isinstance(row, bytes) else row.encode())}
        row = dict(row)
        found: dict[str, Any] = {}
        if key is not None and "key" in row and key.schema is None:
            found["key"] = bytearray(key.encode(row.pop("key")))
        found["value"] = bytearray(
            value.encode(row["value"] if list(row) == ["value"] and value.schema is None else row)
        )
        return found

    def _schema(self) -> StructType:
        from pyspark.sql.types import StructType

        if self.reading.raw:
            fields = struct(Schema(RAW))
            fields = fields.add(FILE, "string") if self.reading.path else fields
        elif self.reading.frame is not None:
            fields = StructType.fromJson(self.reading.frame.schema.jsonValue())
        elif self.reading.schema is not None:
            fields = struct(self.reading.schema)
        else:
            fields = struct(Schema(BUILT_IN.get(self.reading.format, "value string")))
        hidden = StructType().add(MARKER, "timestamp").add(PARTITION, "long").add(SEQUENCE, "long")
        return StructType([*StructType.fromJson(fields.jsonValue()).fields, *hidden.fields])


RAW = "key binary, value binary, topic string, partition int, offset bigint, timestamp timestamp"
"""The columns of Kafka's source."""

BUILT_IN = {"rate": "timestamp timestamp, value bigint", "socket": "value string", "text": "value string"}
"""The columns of Spark's sources that have columns of their own."""


def fitted(value: Any, kind: DataType) -> Any:
    """A value as Spark takes it; times may be written as ISO text."""
    name = kind.typeName()
    if value is None:
        return None
    if name in ("timestamp", "timestamp_ntz"):
        moment = instant(value, "a time that was fed")
        return moment if name == "timestamp" else moment.replace(tzinfo=None)
    if name in ("double", "float"):
        return float(value)
    return value
