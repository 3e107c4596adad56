"""Spark's errors in the words of the user's own program, at the line that is to blame."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from headrace.errors import HeadraceError, InvalidExpression, InvalidSchema, JobError, UnknownColumn
from headrace.origin import Origin, raised_at

if TYPE_CHECKING:
    from pyspark.errors import PySparkException

HINTS = {
    "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN": (
        "a condition is true or false: compare the column, as in value > 3"
    ),
    "PARSE_SYNTAX_ERROR": "check the expression's spelling, brackets and quotes",
    "UNRESOLVED_ROUTINE": "check the function's name: https://spark.apache.org/docs/latest/api/sql",
    "DATATYPE_MISMATCH": "cast one side, as in CAST(value AS DOUBLE)",
    "TABLE_OR_VIEW_NOT_FOUND": (
        "the stream is {stream}; any other table must be one that Spark knows, or a temporary view"
    ),
    "PATH_ALREADY_EXISTS": "write to another path, or replace what is there: hr.files(…, overwrite=True)",
    "MISSING_GROUP_BY": "aggregate with .key_by(…).agg(…) or .agg(…)",
    "MISSING_AGGREGATION": "wrap the column in an aggregate, such as max() or any_value()",
    "STREAMING_OUTPUT_MODE": (
        "write output='update' (changed rows) or 'complete' (all rows), or cut it into windows"
    ),
    "UNSUPPORTED_STREAMING_OPERATION": "run it in batch, or express it with a window",
}


@contextmanager
def blame(
    origin: Origin | None, columns: Callable[[], Sequence[str]] = tuple, what: str = "the stream"
) -> Iterator[None]:
    """Turn an error of Spark's analysis into ours, at this line; the columns are asked for when it comes."""
    from pyspark.errors import (
        AnalysisException,
        IllegalArgumentException,
        NumberFormatException,
        ParseException,
        PySparkTypeError,
        PySparkValueError,
    )

    try:
        with unlogged():
            yield
    except HeadraceError:
        raise
    except (AnalysisException, ParseException) as error:
        if raised_at(error) is not None:  # in a function of the user's that a sink has called
            raise
        raise translated(error, origin, columns(), what) from None
    except NumberFormatException:  # of a row, not of the program
        raise
    except (IllegalArgumentException, PySparkTypeError, PySparkValueError) as error:
        raise JobError(first_sentence(str(error)), origin=origin) from None


@contextmanager
def unlogged() -> Iterator[None]:
    """Keep PySpark from printing each complaint, plan and stack included, on top of what is raised."""
    from pyspark.logger import PySparkLogger

    loggers = [
        PySparkLogger.getLogger(name) for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
    ]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, disabled in zip(loggers, before, strict=True):
            logger.disabled = disabled


def translated(error: PySparkException, origin: Origin | None, columns: Sequence[str], what: str) -> JobError:
    condition = error.getCondition() or ""
    parameters = error.getMessageParameters() or {}
    if condition.startswith(("UNRESOLVED_COLUMN", "UNRESOLVED_FIELD")):
        return UnknownColumn(_name(parameters), columns, stream=what, origin=origin)
    message = first_sentence(str(error))
    family = condition.split(".")[0]
    hint = HINTS.get(condition) or HINTS.get(family)
    if family == "PATH_ALREADY_EXISTS":
        message = f"{parameters.get('outputPath')} exists already"
    if family == "UNRESOLVED_ROUTINE":
        message = f"there is no function {parameters.get('routineName', '')}".replace("`", "'")
    kind: type[JobError] = InvalidExpression
    if family in ("PARSE_SYNTAX_ERROR", "PARSE_EMPTY_STATEMENT", "UNSUPPORTED_DATATYPE", "INVALID_SCHEMA"):
        message = _syntax(parameters, message)
    if family in ("INCOMPATIBLE_COLUMN_TYPE", "NUM_COLUMNS_MISMATCH", "UNSUPPORTED_DATATYPE"):
        kind = InvalidSchema
    return kind(message, hint=hint, origin=origin)


def _name(parameters: dict[str, Any]) -> str:
    quoted = parameters.get("objectName") or parameters.get("fieldName") or "?"
    return ".".join(re.findall(r"`([^`]*)`", quoted)) or quoted


def _syntax(parameters: dict[str, Any], message: str) -> str:
    near = parameters.get("error")
    return f"cannot read the expression: syntax error at {near}" if near else message


def first_sentence(text: str) -> str:
    """Spark's message without its code, its plan and its stack.

    >>> first_sentence("[SOME.CODE] It went wrong. SQLSTATE: 42000\\n== SQL ==\\n…")
    'It went wrong'
    """
    text = re.sub(r"^\[[A-Z0-9_.]+\]\s*", "", text.strip())
    text = re.split(r"\s*SQLSTATE:|\n== SQL|;\s*line \d+ pos|;\n|\n", text)[0]
    return text.strip().rstrip(".")
