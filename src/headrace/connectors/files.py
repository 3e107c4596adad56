"""Files: a folder of JSON, CSV, Parquet or text files, to read as they appear or to write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from headrace.connect.sink import Batch, Sink, Writing
from headrace.connect.source import Reading, Source
from headrace.errors import InvalidOption, InvalidSchema, MissingFile, did_you_mean
from headrace.model.delivery import Delivery, Guarantee
from headrace.model.modes import Mode, Output
from headrace.model.schema import Declared, Schema
from headrace.model.schema import schema as to_schema
from headrace.origin import Origin, here
from headrace.serde._serde import Serde
from headrace.serde.csv import Csv
from headrace.serde.json import Json
from headrace.settings import Project

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FORMATS = ("json", "csv", "parquet", "text")
TAKING = (
    "maxFilesPerTrigger",
    "maxBytesPerTrigger",
    "latestFirst",
    "fileNameOnly",
    "maxFileAge",
    "cleanSource",
    "sourceArchiveDir",
    "recursiveFileLookup",
    "pathGlobFilter",
    "modifiedBefore",
    "modifiedAfter",
    "lineSep",
)


@dataclass(frozen=True)
class Files(Source, Sink):
    """A folder, the format of its files, and their columns."""

    path: str
    format: str
    schema: Schema | None
    partition_by: tuple[str, ...]
    overwrite: bool
    origin: Origin | None
    options: Mapping[str, str] = field(default_factory=dict)

    outputs = frozenset({Output.APPEND})
    native = True

    @property
    def address(self) -> str:
        return self.path

    @property
    def text(self) -> str:
        return f"{self.format} files in {self.path}"

    def refuses(self, mode: Mode, output: Output | None = None) -> str | None:
        return Source.refuses(self, mode) if output is None else Sink.refuses(self, mode, output)

    # As a source.

    def reading(self, mode: Mode, project: Project) -> Reading:
        """Lines of JSON and CSV are read as text and decoded as a topic's values are.

        Spark's own readers look only at the columns that a query uses, so that whether a row counts as
        corrupt would depend on the query.
        """
        path = self._located(project)
        serde = self._serde()
        if serde is None:
            loud = {"mode": "FAILFAST"} if self.format in ("json", "csv") else {}
            return Reading(self.format, {**loud, **self.options}, path=path, schema=self.schema)
        return Reading("text", self._taking(), path=path, raw={"value": serde}, skip=self._header())

    def _serde(self) -> Serde | None:
        if self.schema is None or self.options.get("multiLine", "false").lower() == "true":
            return None
        parsing = tuple((key, value) for key, value in self.options.items() if key not in self._taking())
        if self.format == "json":
            return Json(self.schema, parsing)
        if self.format == "csv":
            return Csv(self.schema, self.options.get("sep", ","), parsing)
        return None

    def _taking(self) -> dict[str, str]:
        """The options that say which files are taken, and not how their lines are read."""
        return {key: value for key, value in self.options.items() if key in TAKING}

    def _header(self) -> str | None:
        """A line that is no row: the names of the columns at the head of a CSV file."""
        if (
            self.format != "csv"
            or self.schema is None
            or self.options.get("header", "false").lower() != "true"
        ):
            return None
        return self.options.get("sep", ",").join(self.schema.names)

    def preflight(self, project: Project) -> None:
        located = self._located(project)
        local = located.removeprefix("file://")
        if "://" in local or any(mark in local for mark in "*?[{"):
            return
        if not Path(local).exists():
            raise MissingFile(
                f"there is no {self.path} to read",
                hint="create the folder, or mend the path",
                origin=self.origin,
            )

    def _located(self, project: Project) -> str:
        """Relative paths are relative to the project, so that a job finds them from anywhere."""
        if "://" in self.path or Path(self.path).is_absolute():
            return self.path
        return str(project.root / self.path)

    # As a sink.

    def writing(self, project: Project) -> Writing:
        return Writing(self.format, {**self.options, "path": self._located(project)}, self.partition_by)

    def encode(self, frame: DataFrame) -> DataFrame:
        """The rows as they are; a text file has room for one column of text."""
        kinds = {name: kind for name, kind in frame.dtypes if name not in self.partition_by}
        if self.format == "text" and list(kinds.values()) != ["string"]:
            raise InvalidSchema(
                "a text file holds one string column, but there are: "
                f"{', '.join(map(' '.join, kinds.items()))}",
                hint="select one first, as in .select(value='concat(id, n)'), or write json",
                origin=self.origin,
            )
        return frame

    def write(self, batch: Batch) -> None:
        self.encode(batch.frame)
        if batch.streaming:
            batch.write_files(batch.frame, batch.number, self.writing(batch.project))
            return
        writer = batch.frame.write.format(self.format).options(**self.options).partitionBy(*self.partition_by)
        writer.mode("overwrite" if self.overwrite else "errorifexists").save(self._located(batch.project))

    def guarantee(self, mode: Mode) -> Guarantee:
        return Guarantee(Delivery.EXACTLY_ONCE, f"{self.text} are listed by batch, each once")


def files(
    path: str | Path,
    format: str,
    *,
    schema: Declared | None = None,
    partition_by: str | tuple[str, ...] | list[str] = (),
    overwrite: bool = False,
    options: Mapping[str, str] | None = None,
) -> Files:
    """A folder of files, to read or to write; `format` is json, csv, parquet or text.

    Read, it needs `schema` (text has one column, `value`). Written in batch mode onto files that are there
    already it refuses, unless `overwrite` is set. A relative path is relative to the project's folder.

    >>> files("in", "json", schema="id string").text
    'json files in in'
    """
    if format not in FORMATS:
        raise InvalidOption(f"no file format '{format}'", hint=did_you_mean(format, FORMATS, "formats"))
    if format == "text" and schema is not None:
        raise InvalidSchema("text files have one column, value", hint="leave the schema out")
    keys = (partition_by,) if isinstance(partition_by, str) else tuple(partition_by)
    declared = None if schema is None else to_schema(schema)
    return Files(str(path), format, declared, keys, overwrite, here(), dict(options or {}))
