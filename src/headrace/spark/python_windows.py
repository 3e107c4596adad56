"""A Python function over whole windows, run by Spark's workers; nothing here needs the driver."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


class WindowMapper:
    """Calls a function with the rows of each window; what it gives stands behind the window's own columns."""

    def __init__(
        self,
        function: Callable[..., Any],
        rows: str,
        carried: list[str],
        target_json: str,
        schema_json: str,
        arrow: bool,
    ) -> None:
        self.function = function
        self.rows = rows
        self.carried = carried
        self.target_json = target_json
        self.schema_json = schema_json
        self.arrow = arrow
        self.__name__ = getattr(function, "__name__", "function")

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        target, whole = _arrow(self.target_json), _arrow(self.schema_json)
        for batch in batches:
            column = batch.column(self.rows)
            pieces = []
            for at in range(batch.num_rows):
                given = self._called(column, at, target)
                own = [batch.column(name).slice(at, 1) for name in self.carried]
                repeated = [pa.chunked_array([one] * given.num_rows, one.type) for one in own]
                pieces.append(pa.table([*repeated, *given.columns], names=whole.names))
            if pieces:
                yield from pa.concat_tables(pieces).cast(whole).combine_chunks().to_batches()

    def _called(self, column: Any, at: int, target: pa.Schema) -> pa.Table:
        import pyarrow as pa

        first, last = column.offsets[at].as_py(), column.offsets[at + 1].as_py()
        rows = pa.Table.from_struct_array(column.values.slice(first, last - first))
        if self.arrow:
            given = self.function(rows)
            if not isinstance(given, pa.Table):
                raise TypeError(f"{self.__name__}() returned {type(given).__name__}, and not a pyarrow.Table")
        else:
            frame = self.function(rows.to_pandas())
            if not hasattr(frame, "to_records"):
                raise TypeError(
                    f"{self.__name__}() returned {type(frame).__name__}, and not a pandas.DataFrame"
                )
            given = pa.Table.from_pandas(frame, preserve_index=False)
        missing = [name for name in target.names if name not in given.column_names]
        if missing:
            raise TypeError(
                f"{self.__name__}() returned no column {', '.join(missing)};"
                f" the schema has {', '.join(target.names)}"
            )
        return given.select(target.names).cast(target)


def _arrow(schema_json: str) -> pa.Schema:
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import StructType

    return to_arrow_schema(StructType.fromJson(json.loads(schema_json)), timezone="UTC")
