"""A Python function folded over the rows of each key, its result kept by Spark between batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from headrace.spark.python_rows import Target, row_type

if TYPE_CHECKING:
    import pandas as pd


def fold_with_state(
    function: Callable[[Any, Any], Any], columns: list[str], schema_json: str
) -> Callable[[Any, Iterator[pd.DataFrame], Any], Iterator[pd.DataFrame]]:
    """What Spark calls for each key of a batch: the rows, and the row that was made of all before them."""

    def folded(_key: Any, frames: Iterator[pd.DataFrame], state: Any) -> Iterator[pd.DataFrame]:
        row = row_type(columns)
        target = Target(schema_json, getattr(function, "__name__", "function"))
        so_far = row._make(state.get) if state.exists else None
        for frame in frames:
            so_far = fold(function, so_far, frame[columns], row, target)
        if so_far is not None:
            state.update(tuple(so_far))
            yield as_frame(so_far, columns)

    return folded


def fold_group(
    function: Callable[[Any, Any], Any], columns: list[str]
) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """The same fold over the whole group at once, for batch."""

    def folded(frame: pd.DataFrame) -> pd.DataFrame:
        row = row_type(columns)
        target = _Loose(columns, getattr(function, "__name__", "function"))
        return as_frame(fold(function, None, frame[columns], row, target), columns)

    return folded


class _Loose(Target):
    """Checks names and counts alone; Spark checks the types."""

    def __init__(self, names: list[str], function: str) -> None:
        self.names = names
        self.function = function


def fold(
    function: Callable[[Any, Any], Any], so_far: Any, frame: pd.DataFrame, row: Any, target: Target
) -> Any:
    for values in zip(*(plain(frame[name]) for name in frame.columns), strict=True):
        new = row._make(values)
        so_far = new if so_far is None else row._make(target.values(function(so_far, new)))
    return so_far


def plain(series: pd.Series[Any]) -> list[Any]:
    """A column's values as Python's own, null as None."""
    return [None if value is None or value != value else value for value in series.tolist()]


def as_frame(row: Any, columns: list[str]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(
        {name: pd.Series([value], dtype=object) for name, value in zip(columns, row, strict=True)}
    )
