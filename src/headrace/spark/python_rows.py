"""Python functions over rows, run by Spark's workers on Arrow batches; nothing here needs the driver."""

from __future__ import annotations

import json
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


class RowMapper:
    """Calls a function with each row of each batch, and gathers what it returns into batches again."""

    def __init__(
        self,
        function: Callable[..., Any],
        columns: list[str],
        schema_json: str,
        flat: bool,
        stamp: str | None = None,
    ) -> None:
        self.function = function
        self.columns = columns
        self.schema_json = schema_json
        self.flat = flat
        self.stamp = stamp
        self.__name__ = getattr(function, "__name__", "function")

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        row = row_type(self.columns)
        target = Target(self.schema_json, self.__name__)
        for batch in batches:
            columns = [column.to_pylist() for column in batch.columns[: len(self.columns)]]
            rows = map(row._make, zip(*columns, strict=True))
            yield (
                target.batch(self._results(rows))
                if self.stamp is None
                else self._stamped(rows, batch, target)
            )

    def _stamped(self, rows: Iterable[Any], batch: pa.RecordBatch, target: Target) -> pa.RecordBatch:
        """The results, each with the stamp of the row that it was made of."""
        groups = [list(self.function(row)) if self.flat else [self.function(row)] for row in rows]
        made = target.batch([result for group in groups for result in group])
        places = [at for at, group in enumerate(groups) for _result in group]
        return made.append_column(self.stamp, batch.column(self.stamp).take(_indices(places)))

    def _results(self, rows: Iterable[Any]) -> Iterable[Any]:
        if not self.flat:
            return map(self.function, rows)
        return (result for row in rows for result in self.function(row))


def _indices(places: list[int]) -> Any:
    import pyarrow as pa

    return pa.array(places, pa.int64())


class Target:
    """The columns that a function's results are put into."""

    def __init__(self, schema_json: str, function: str) -> None:
        from pyspark.sql.pandas.types import to_arrow_schema
        from pyspark.sql.types import StructType

        self.schema = to_arrow_schema(StructType.fromJson(json.loads(schema_json)), timezone="UTC")
        self.names = self.schema.names
        self.function = function

    def batch(self, results: Iterable[Any]) -> pa.RecordBatch:
        import pyarrow as pa

        values = [self.values(result) for result in results]
        columns = list(zip(*values, strict=True)) if values else [()] * len(self.names)
        arrays = [self._array(pa, column, field) for column, field in zip(columns, self.schema, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def _array(self, pa: Any, column: Any, field: Any) -> Any:
        try:
            return pa.array(column, field.type)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise TypeError(
                f"{self.function}() returned a '{field.name}' that is not {field.type}: {error}"
            ) from None

    def values(self, result: Any) -> tuple[Any, ...]:
        """A result as values in the order of the columns."""
        if type(result) is dict or isinstance(result, Mapping):
            if result.keys() == set(self.names):
                return tuple(result[name] for name in self.names)
            self._misfit(list(result))
        if not isinstance(result, tuple | list):
            if len(self.names) == 1:
                return (result,)
            raise TypeError(
                f"{self.function}() returned {result!r}; return a dict or a tuple of {', '.join(self.names)}"
            )
        if len(result) != len(self.names):
            raise TypeError(
                f"{self.function}() returned {len(result)} values; the schema has {len(self.names)}:"
                f" {', '.join(self.names)}"
            )
        return tuple(result)

    def _misfit(self, given: list[str]) -> None:
        missing = [name for name in self.names if name not in given]
        extra = [name for name in given if name not in self.names]
        parts = [f"without {', '.join(missing)}"] if missing else []
        parts += [f"with {', '.join(map(str, extra))}, which the schema does not have"] if extra else []
        raise TypeError(
            f"{self.function}() returned a dict {' and '.join(parts)}; the schema has {', '.join(self.names)}"
        )


def row_type(columns: list[str]) -> Any:
    """A light tuple type with the columns as attributes; names that Python cannot have become _0, _1, …"""
    return namedtuple("Row", columns, rename=True)
