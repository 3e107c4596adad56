"""The functions of `process()` as Spark's workers run them, over Arrow; nothing here needs the driver."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC
from itertools import islice
from operator import attrgetter
from struct import Struct
from typing import TYPE_CHECKING, Any

from headrace.model.state import Shape
from headrace.spark.process_loop import Loop
from headrace.spark.python_rows import Target, row_type

if TYPE_CHECKING:
    import pyarrow as pa

THERE, BACK = 6, 4
"""How many columns stand before the row's own on the way here, and before the results' on the way back."""
ROW, TOUCHED, MOVED = 0, 1, 2
"""What the kernel tells: a row, a key before its first row or timer, or that time has moved on."""
MADE, STATE, FORGOTTEN = 0, 1, 2
"""What it is told: a row that a function made, a key with its state, or a key that has none."""
CHUNK = 10_000


class ProcessMapper:
    """Calls the functions with each row and timer, in order; then gives back the keys that they came to."""

    def __init__(
        self,
        on_row: Callable[..., Any],
        on_timer: Callable[..., Any] | None,
        *,
        columns: Sequence[str],
        keys: Sequence[str],
        state: Shape,
        results_json: str,
        back_json: str,
        name: str,
    ) -> None:
        self.on_row = on_row
        self.on_timer = on_timer
        self.columns = columns
        self.keys = keys
        self.state = state
        self.results_json = results_json
        self.back_json = back_json
        self.__name__ = name

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        loop = Loop(self.on_row, self.on_timer, self.state.factory(), self.state.names, self.keys)
        heard = Heard(loop, row_type(list(self.columns)), row_type(list(self.keys)), self.state.names)
        back = Back(loop, Target(self.results_json, self.__name__), self.back_json)
        with rarely_collected():
            for batch in batches:
                heard.take(batch)
                if loop.results:
                    yield back.results()
            for at in range(0, len(loop.kept), CHUNK):
                yield back.kept(at, min(at + CHUNK, len(loop.kept)))


@contextmanager
def rarely_collected() -> Iterator[None]:
    """Rows are many small objects and hardly ever a cycle; looking for one took half of the time."""
    usual = gc.get_threshold()
    gc.set_threshold(200_000, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


class Heard:
    """What the kernel tells, put into the loop."""

    def __init__(self, loop: Loop, row: Any, key: Any, state: Sequence[str]) -> None:
        self.loop = loop
        self.row = row
        self.key = key
        self.state = state
        self.first_key = THERE + len(row._fields)
        self.first_state = self.first_key + len(key._fields)

    def take(self, batch: pa.RecordBatch) -> None:
        import numpy as np

        kinds = batch.column(0).to_numpy()
        touched = np.flatnonzero(kinds == TOUCHED)
        # A key may be told of before its turn: its timers wait for the watermark all the same.
        if len(touched):
            self._touch(batch.take(touched))
        plain = np.flatnonzero(kinds == ROW)
        records = self._records(batch if len(plain) == len(kinds) else batch.take(plain))
        at = 0
        for moved in np.flatnonzero(kinds == MOVED).tolist():
            before = int(np.searchsorted(plain, moved))
            self.loop.rows(islice(records, before - at))
            self.loop.move(batch.column(4)[moved].as_py(), batch.column(5)[moved].as_py())
            at = before
        self.loop.rows(records)

    def _records(self, rows: pa.RecordBatch) -> Iterator[tuple[int, Any, int, int, int]]:
        columns = [values(column) for column in rows.columns[THERE : self.first_key]]
        numbers, times, marks, watermarks = (rows.column(at).to_numpy().tolist() for at in (1, 2, 3, 4))
        made = map(self.row._make, zip(*columns, strict=True))
        return zip(numbers, made, times, marks, watermarks, strict=True)

    def _touch(self, keys: pa.RecordBatch) -> None:
        columns = [values(column) for column in keys.columns[self.first_key : self.first_state]]
        states = [
            values(column, maps="strict")
            for column in keys.columns[self.first_state : self.first_state + len(self.state)]
        ]
        timers, known = keys.column(keys.num_columns - 2), keys.column(keys.num_columns - 1)
        held = timers.to_pylist() if timers.null_count < len(timers) else [None] * len(timers)
        rows = zip(*states, strict=True) if states else iter(() for _ in range(keys.num_rows))
        for key, state, set_, is_known in zip(
            zip(*columns, strict=True), rows, held, known.to_pylist(), strict=True
        ):
            self.loop.touch(
                self.key._make(key),
                dict(zip(self.state, state, strict=True)) if is_known else None,
                timers_of(set_) if set_ else (),
            )


class Back:
    """What the loop made, as the kernel takes it."""

    def __init__(self, loop: Loop, target: Target, back_json: str) -> None:
        from pyspark.sql.pandas.types import to_arrow_schema
        from pyspark.sql.types import StructType

        self.loop = loop
        self.target = target
        self.schema = to_arrow_schema(StructType.fromJson(json.loads(back_json)), timezone="UTC")
        width = len(target.names)
        self.made = list(self.schema)[BACK : BACK + width]
        self.states = list(self.schema)[BACK + width : -1]
        self.blank = [] if not loop.names else getter(loop.names)(loop.blank())

    def results(self) -> pa.RecordBatch:
        """The rows that the functions have made since the last time."""
        import numpy as np

        loop, size = self.loop, len(self.loop.results)
        calls = np.array(loop.calls, np.int64)
        counts = np.diff(calls[:, 0], prepend=0)
        times, marks = (np.repeat(calls[:, at], counts) for at in (2, 3))
        columns = zip(*self._values(), strict=True)
        arrays = [self._result(list(column), at) for at, column in enumerate(columns)]
        head = [_same(MADE, size), _same(0, size), _longs(times), _longs(marks)]
        loop.results.clear()
        loop.calls.clear()
        return self._batch(
            [*head, *arrays, *_nulls(size, self.states), *_nulls(size, [self.schema[-1]])], size
        )

    def kept(self, first: int, end: int) -> pa.RecordBatch:
        """These of the keys: a state that is as new is none."""
        import pyarrow as pa

        loop, size = self.loop, end - first
        keys = loop.kept[first:end]
        held = [getter(loop.names)(key.state) for key in keys] if loop.names else [()] * size
        kinds = [FORGOTTEN if state == self.blank or not loop.names else STATE for state in held]
        columns = zip(*held, strict=True) if loop.names else ()
        arrays = [self._state(list(column), at, first) for at, column in enumerate(columns)]
        timers = [timers_as_bytes(key.timers) if key.timers else None for key in keys]
        head = [
            pa.array(kinds, pa.int32()),
            pa.array(range(first, end), pa.int32()),
            *[_longs([0] * size)] * 2,
        ]
        set_ = pa.array(timers, self.schema[-1].type)
        return self._batch([*head, *_nulls(size, self.made), *arrays, set_], size)

    def _batch(self, arrays: list[Any], size: int) -> pa.RecordBatch:
        import pyarrow as pa

        assert all(len(array) == size for array in arrays)
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def _values(self) -> list[tuple[Any, ...]]:
        width, values = len(self.target.names), self.target.values
        made: list[tuple[Any, ...]] = []
        try:
            made.extend(
                one if type(one) is tuple and len(one) == width else values(one) for one in self.loop.results
            )
        except TypeError as error:
            error.add_note(self.loop.of_key(self._owner(len(made))))
            raise
        return made

    def _owner(self, place: int) -> int:
        """The number of the key that the result at this place is of."""
        return next(number for end, number, _time, _mark in self.loop.calls if place < end)

    def _result(self, column: list[Any], at: int) -> Any:
        field = self.made[at]
        what = f"{self.target.function}() gave {self.target.names[at]} ="
        return self._array(column, field, what, self._owner)

    def _state(self, column: list[Any], at: int, first: int) -> Any:
        what = f"{self.target.function}() set the state's {self.loop.names[at]} ="
        return self._array(column, self.states[at], what, lambda place: first + place)

    def _array(self, column: list[Any], field: Any, what: str, owner: Callable[[int], int]) -> Any:
        import pyarrow as pa

        try:
            return pa.array(column, field.type)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            for place, value in enumerate(column):
                try:
                    pa.array([value], field.type)
                except (pa.ArrowException, TypeError, ValueError, OverflowError):
                    told = TypeError(f"{what} {value!r}, which is not {field.type}")
                    told.add_note(self.loop.of_key(owner(place)))
                    raise told from None
            raise


TIMER = Struct(">?qi")
"""A timer as the kernel writes it: whether it is of event time, when, and how long its name is."""


def timers_of(given: bytes) -> Iterator[tuple[bool, str, int]]:
    at = 0
    while at < len(given):
        event, time, length = TIMER.unpack_from(given, at)
        at += TIMER.size + length
        yield event, given[at - length : at].decode(), time


def timers_as_bytes(timers: Mapping[str, tuple[bool, int]]) -> bytes:
    made = b""
    for name, (event, time) in timers.items():
        raw = name.encode()
        made += TIMER.pack(event, time, len(raw)) + raw
    return made


def values(column: Any, maps: Any = None) -> list[Any]:
    """A column's values as Python's own. Arrow itself takes microseconds for each moment of time."""
    import pyarrow as pa

    if not pa.types.is_timestamp(column.type):
        found: list[Any] = column.to_pylist(maps_as_pydicts=maps)
        return found
    naive = column.cast(pa.timestamp("us")).to_numpy(zero_copy_only=False).tolist()
    if column.type.tz is None:
        return list(naive)
    return [moment.replace(tzinfo=UTC) if moment is not None else None for moment in naive]


def getter(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Reads these attributes, always as a tuple."""
    if len(names) == 1:
        only = attrgetter(names[0])
        return lambda of: (only(of),)
    return attrgetter(*names)


def _same(value: int, size: int) -> Any:
    import pyarrow as pa

    return pa.repeat(pa.scalar(value, pa.int32()), size)


def _longs(numbers: Any) -> Any:
    import pyarrow as pa

    return pa.array(numbers, pa.int64())


def _nulls(size: int, fields: Sequence[Any]) -> list[Any]:
    import pyarrow as pa

    return [pa.nulls(size, field.type) for field in fields]
