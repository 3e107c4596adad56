"""The rows and timers of one shard's batch, one after the other: what `process()` means, without Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import heappop
from types import GeneratorType
from typing import Any

from headrace.model.process import END, NEVER, Kept, Timer, Timers, moment
from headrace.spark.failure import NOTE


class Loop:
    """Calls the user's functions. `results` are their rows, `calls` the calls that gave any.

    Times are microseconds. A call is how many results there were after it, its key's number, when it
    happened, and the watermark that goes with its results: to operators behind this one, older rows are late.
    """

    def __init__(
        self,
        on_row: Callable[[Any, Any, Timers], Any],
        on_timer: Callable[[Timer, Any, Timers], Any] | None,
        blank: Callable[..., Any],
        names: tuple[str, ...],
        key_names: Sequence[str] = (),
    ) -> None:
        self.on_row = on_row
        self.on_timer = on_timer
        self.blank = blank
        self.names = names
        self.key_names = key_names
        self.timers = Timers(on_timer is not None, blank, names)
        self.kept: list[Kept] = []
        self.told = NEVER
        self.results: list[Any] = []
        self.calls: list[tuple[int, int, int, int]] = []

    def touch(
        self, key: Any, state: Mapping[str, Any] | None, timers: Iterable[tuple[bool, str, int]]
    ) -> None:
        """A key that rows or timers are going to come to, as it was kept; keys are numbered from 0."""
        number = len(self.kept)
        held = self.blank() if state is None else self.blank(**state)
        kept = Kept(key, held, {name: (event, at) for event, name, at in timers})
        self.kept.append(kept)
        for name, (event, at) in kept.timers.items():
            self.timers.restore(event, at, name, number)

    def rows(self, rows: Iterable[tuple[int, Any, int, int, int]]) -> None:
        """Rows in order: the key's number, the row, its time, its partition's watermark, the operator's."""
        try:
            self._rows(rows)
        except Exception as error:
            error.add_note(self.of_key(self.timers._number))
            raise

    def _rows(self, rows: Iterable[tuple[int, Any, int, int, int]]) -> None:
        timers, kept, call, due = self.timers, self.kept, self.on_row, self.timers._due
        results, calls = self.results, self.calls
        for number, row, time, mark, watermark in rows:
            if watermark != timers._watermark:
                self._advance(watermark)
            timers._kept = one = kept[number]
            timers._number = number
            timers._time = time
            timers._mark = mark
            made = call(row, one.state, timers)
            if type(made) is GeneratorType:
                results.extend(made)
            elif made is not None:
                self._take(made)
            calls.append((len(results), number, time, watermark))
            if due and due[0][0] <= watermark:
                self._fire(watermark)

    def move(self, watermark: int, now: int) -> None:
        """The watermark and the clock have come to these."""
        try:
            self.timers._now = now
            self._advance(watermark)
            if watermark != END:
                self._ring(now)
        except Exception as error:
            error.add_note(self.of_key(self.timers._number))
            raise

    def of_key(self, number: int) -> str:
        """Which key an error is about."""
        key = self.kept[number].key if number < len(self.kept) else ()
        said = ", ".join(f"{name} = {value!r}" for name, value in zip(self.key_names, key, strict=False))
        return f"{NOTE}{said}"

    def _advance(self, watermark: int) -> None:
        if watermark == self.timers._watermark:
            return
        self.timers._watermark = watermark
        if watermark == END:
            self.timers._ending = True
        self._fire(watermark)
        if watermark == END:
            self._ring(END)
        else:
            self.told = max(self.told, watermark)

    def _fire(self, watermark: int) -> None:
        """The timers of event time that are due, the earliest first."""
        due = self.timers._due
        while due and due[0][0] <= watermark:
            time, name, number = heappop(due)
            if self.kept[number].timers.get(name) == (True, time):
                self.told = max(self.told, time)
                self._call(number, name, time, event=True, happened=time)

    def _ring(self, now: int) -> None:
        """The timers of the clock that are due; each may set one of event time that is due already."""
        alarms = self.timers._alarms
        while alarms and alarms[0][0] <= now:
            time, name, number = heappop(alarms)
            if self.kept[number].timers.get(name) == (False, time):
                happened = self.told if self.told != NEVER else self.timers._now
                self._call(number, name, time, event=False, happened=happened)
                self._fire(self.timers._watermark)

    def _call(self, number: int, name: str, time: int, *, event: bool, happened: int) -> None:
        timers = self.timers
        timers._kept = one = self.kept[number]
        timers._number = number
        timers._time = time
        timers._mark = NEVER
        timers._after = (event, time)
        del one.timers[name]
        assert self.on_timer is not None, "timers are set where there is a function for them"
        made = self.on_timer(Timer(name, moment(time), event, one.key), one.state, timers)
        if made is not None:
            self._take(made)
        self.calls.append((len(self.results), number, happened, self.told))
        timers._after = None

    def _take(self, made: Any) -> None:
        """One row (a dict or a tuple), or any number of them."""
        if isinstance(made, tuple | Mapping):
            self.results.append(made)
        elif isinstance(made, Iterable) and not isinstance(made, str | bytes):
            self.results.extend(made)
        else:
            raise TypeError(
                f"the function returned {made!r}; yield rows, or return a dict, a tuple or a list of them"
            )
