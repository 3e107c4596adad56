"""Sources decoded, and parted into rows that could be read and rows that could not.

A source's rows are decoded once. A row is rejected when its parser leaves a complaint, or when it has no
event time though the stream says which column holds it; all else is the stream.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from headrace.connect.source import Reading
from headrace.errors import InvalidSchema, UnknownColumn
from headrace.plan.nodes import Read, Rejected
from headrace.serde._serde import CORRUPT, Serde, literal, quoted
from headrace.spark.engine import as_column, kernel
from headrace.spark.lower.opening import FILE, MARKER, opened, with_file
from headrace.spark.lower.tracking import tracked
from headrace.spark.schemas import ddl, struct
from headrace.spark.translate import blame
from headrace.time import interval

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from headrace.spark.compile import Compiler

REASON = "__headrace_reason"
FIRST, LAST = "TIMESTAMP'1970-01-01T00:00:00Z'", "TIMESTAMP'9998-12-31T23:59:59.999999Z'"
"""Event times outside of these are mistakes, and one of them would carry a watermark away for ever."""
EVENT_TIME = "headrace.event_time"
"""In a column's metadata: that it is the event time, and how many microseconds of delay it is given."""


@dataclass(frozen=True)
class _Decoded:
    """A source's rows with all that was read from them.

    `columns` maps the stream's names to SQL over the frame; `reason` is SQL for why a row is rejected, if any
    can be.
    """

    frame: DataFrame
    reading: Reading
    columns: dict[str, str]
    reason: str | None

    @property
    def shown(self) -> list[str]:
        """The stream's columns, as SQL."""
        chosen = [f"{inner} AS {quoted(name)}" for name, inner in self.columns.items()]
        return [*chosen, *([MARKER] if MARKER in self.frame.columns else [])]


def read(compiler: Compiler, node: Read) -> DataFrame:
    """The rows that could be read, with the watermark that the stream declares."""
    decoded = _decoded(compiler, node)
    frame = decoded.frame
    if decoded.reason is not None:
        frame = frame.where(_admitted(compiler, frame, node, decoded.reason))
    if compiler.tracking:
        return tracked(node, compiler.number(node), decoded.reading, decoded.columns, frame)
    frame = frame.selectExpr(*decoded.shown)
    if node.event_time is not None:
        frame = watermarked(frame, node.event_time, node.delay)
    return _without_markers(frame)


def rejected(compiler: Compiler, node: Rejected) -> DataFrame:
    """The rows that could not be read: where from, the raw value, and why."""
    decoded = _decoded(compiler, node.read, located=True)
    frame = decoded.frame
    stamps = [quoted(stamp) for stamp in decoded.reading.stamps]
    stamps += [f"{FILE} AS file"] if FILE in frame.columns else []
    raw = "value" if "value" in decoded.reading.raw else "NULL"
    markers = f"{MARKER} IS NULL" if MARKER in frame.columns else "true"
    reasoned = frame.selectExpr("*", f"{decoded.reason or 'CAST(NULL AS STRING)'} AS {REASON}")
    return reasoned.where(f"{REASON} IS NOT NULL AND {markers}").selectExpr(
        f"{literal(node.read.name)} AS source",
        *stamps,
        f"CAST({raw} AS BINARY) AS raw",
        f"{REASON} AS reason",
    )


def watermarked(frame: DataFrame, column: str, delay: int) -> DataFrame:
    """The frame with `column` known as event time, to Spark and to the windows after it."""
    from pyspark.sql import functions as F

    time = F.col(quoted(column))
    if MARKER in frame.columns:
        time = F.coalesce(F.col(MARKER), time)
    named = time.alias(column, metadata={EVENT_TIME: delay})
    frame = frame.withColumns({column: named}).withWatermark(column, interval(delay))
    return frame.where(as_column(kernel().Expressions.barrier())) if frame.isStreaming else frame


def event_time_of(frame: DataFrame) -> tuple[str, int] | None:
    """The column of event time and its delay, wherever verbs have carried it."""
    for field in frame.schema.fields:
        if EVENT_TIME in field.metadata:
            return field.name, int(field.metadata[EVENT_TIME])
    return None


def _without_markers(frame: DataFrame) -> DataFrame:
    if MARKER not in frame.columns:
        return frame
    return frame.where(f"{MARKER} IS NULL").drop(MARKER)


def _decoded(compiler: Compiler, node: Read, *, located: bool = False) -> _Decoded:
    part = "located" if located else "decoded"
    return compiler.part(node, part, lambda: _decode_all(compiler, node, located))  # type: ignore[no-any-return]


def _decode_all(compiler: Compiler, node: Read, located: bool) -> _Decoded:
    """The source's rows decoded; where `located`, with the file that each came from."""
    reading = node.source.reading(compiler.mode, compiler.project)
    frame = opened(compiler, node, reading)
    if located and compiler.inputs(node) is None:
        frame = with_file(frame, reading)
    own = [name for name in frame.columns if not name.startswith("__headrace")]
    columns = {} if reading.raw else {name: quoted(name) for name in own}
    reasons: list[str] = []
    for bytes_, serde in sorted(reading.raw.items()):
        frame, names, complaints = _decode(frame, bytes_, serde, node)
        columns |= names
        reasons += complaints
    columns |= {name: quoted(name) for name in reading.keep if name not in columns}
    if node.event_time is not None:
        inner = _checked_time(node, frame, columns)
        reasons.append(f"WHEN {inner} IS NULL THEN {literal(f'the event time {node.event_time} is null')}")
        told = literal(f"the event time {node.event_time} is not between 1970 and 9999")
        reasons.append(f"WHEN NOT {inner} BETWEEN {FIRST} AND {LAST} THEN {told}")
    return _Decoded(frame, reading, columns, f"CASE {' '.join(reasons)} END" if reasons else None)


def _decode(
    frame: DataFrame, bytes_: str, serde: Serde, node: Read
) -> tuple[DataFrame, dict[str, str], list[str]]:
    """The frame with a bytes column decoded, its new columns, and the complaints that its parser can have.

    New columns are kept apart from the source's own until the end, as their names may be the same.
    """
    from pyspark.sql import functions as F

    inner = f"__headrace_{bytes_}"
    if serde.schema is None:
        return frame.selectExpr("*", f"{serde.decoder(quoted(bytes_), '')} AS {inner}"), {bytes_: inner}, []
    fields = struct(serde.schema)
    with blame(serde.schema.origin, what=node.name):
        # Spark would copy the parser into every filter above it, and run it again in each.
        parsed = kernel().Expressions.once(F.expr(serde.decoder(quoted(bytes_), ddl(fields)))._jc)
        frame = frame.withColumn(inner, as_column(parsed))
    empty = f"{bytes_} IS NULL OR length(trim(CAST({bytes_} AS STRING))) = 0"
    return frame, {name: f"{inner}.{quoted(name)}" for name in fields.names}, [
        f"WHEN {empty} THEN 'the {bytes_} is empty'",
        f"WHEN {inner}.{CORRUPT} IS NOT NULL THEN 'the {bytes_} is not {serde.text} of the schema'",
    ]  # fmt: skip


def _checked_time(node: Read, frame: DataFrame, columns: dict[str, str]) -> str:
    """The column of event time, if it is there and is one."""
    name = str(node.event_time)
    if name not in columns:
        raise UnknownColumn(name, columns, stream=f"'{node.name}'", origin=node.origin)
    kind = frame.selectExpr(columns[name]).schema[0].dataType.simpleString()
    if kind != "timestamp":
        raise InvalidSchema(
            f"event time '{name}' is {kind}, not timestamp",
            hint=f"declare it as one: '{name} timestamp'",
            origin=node.origin,
        )
    return columns[name]


def _admitted(compiler: Compiler, frame: DataFrame, node: Read, reason: str) -> Column:
    """Lets good rows by, and counts the others as they are left out, so that none goes unseen."""
    from pyspark.sql import functions as F

    counter = compiler.counter(f"rejected:{node.name}")
    fine = as_column(kernel().Expressions.admitted(F.expr(reason)._jc, counter))
    return F.expr(f"{MARKER} IS NOT NULL") | fine if MARKER in frame.columns else fine
