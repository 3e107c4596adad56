"""What a function of `process()` is handed beside the row: the key's state, and its timers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from heapq import heappush
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.time import Duration, Instant, epoch_micros, from_epoch_micros, micros

NEVER = -(1 << 63)
"""A time before all times: that of a row without event time, and of a watermark that has not come yet."""
END = (1 << 63) - 1
"""The watermark when the input has ended."""
_LAST = datetime.max.replace(tzinfo=UTC)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class State:
    """A key's state, its columns as attributes; None until they are set.

    When all are None again, there is no state.
    """

    __slots__: tuple[str, ...] = ()

    def get(self, name: str, default: Any = None) -> Any:
        """A column, or the default where it is None."""
        value = getattr(self, name)
        return default if value is None else value

    def set(self, **values: Any) -> None:
        """Set several columns."""
        for name, value in values.items():
            setattr(self, name, value)

    def clear(self) -> None:
        """Forget all of it."""
        for name in self.__slots__:
            setattr(self, name, None)

    def __repr__(self) -> str:
        return f"State({', '.join(f'{name}={getattr(self, name)!r}' for name in self.__slots__)})"

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...


class Timer(NamedTuple):
    """A timer that fires: its name, the time that it was set to, and whether that is event time."""

    name: str
    time: datetime | None
    event: bool
    key: Any


class Kept:
    """A key while its rows are worked on: its columns, its state, and what its timers are set to.

    `timers` maps a name to whether it is of event time, and to microseconds.
    """

    __slots__ = ("key", "state", "timers")

    def __init__(self, key: Any, state: Any, timers: dict[str, tuple[bool, int]]) -> None:
        self.key = key
        self.state = state
        self.timers = timers


class Timers:
    """The timers of the present key, and what time it is. A key has one timer of a name."""

    def __init__(self, fires: bool, blank: Callable[[], Any], names: tuple[str, ...]) -> None:
        self._fires = fires
        self._blank = blank
        self._names = names
        self._kept = Kept(None, None, {})
        self._number = 0
        self._time = NEVER
        self._mark = NEVER
        self._watermark = NEVER
        self._now = NEVER
        self._after: tuple[bool, int] | None = None
        self._ending = False
        self._due: list[tuple[int, str, int]] = []
        self._alarms: list[tuple[int, str, int]] = []

    # What time it is.

    @property
    def key(self) -> Any:
        """The key's columns, as attributes."""
        return self._kept.key

    @property
    def time(self) -> datetime | None:
        """When the row happened, or what the timer was set to; None for a row without event time."""
        return moment(self._time)

    @property
    def watermark(self) -> datetime | None:
        """How far event time has come, which timers go by; None before it has begun."""
        return moment(self._watermark)

    @property
    def now(self) -> datetime | None:
        """The time of the clock."""
        return moment(self._now)

    @property
    def lateness(self) -> timedelta:
        """How far the row is behind the watermark of its own source partition; zero if it is not late."""
        if self._time == NEVER or self._time >= self._mark:
            return timedelta(0)
        return timedelta.max if self._mark == END else timedelta(microseconds=self._mark - self._time)

    @property
    def late(self) -> bool:
        """Whether the row happened before what its own source partition's watermark says."""
        return self._time != NEVER and self._time < self._mark

    # Timers.

    def event(self, at: Instant, name: str = "") -> None:
        """Set a timer, or set it anew: it fires when the watermark has come to this moment of event time."""
        if type(at) is datetime and at.tzinfo is UTC:
            since = at - _EPOCH
            at_micros = since.days * 86_400_000_000 + since.seconds * 1_000_000 + since.microseconds
        else:
            at_micros = _micros(at)
        self._set(True, at_micros, name, self._due)

    def processing(self, after: Duration, name: str = "") -> None:
        """Set a timer, or set it anew: it fires when this long has passed by the clock."""
        self._set(False, self._now + micros(after, "after"), name, self._alarms)

    def cancel(self, name: str = "") -> None:
        """Take a timer back, if it is set."""
        self._kept.timers.pop(name, None)

    def forget(self) -> None:
        """Forget the key: its state is as new, and its timers are gone."""
        self._kept.timers.clear()
        fresh = self._blank()
        for name in self._names:
            setattr(self._kept.state, name, getattr(fresh, name))

    def restore(self, event: bool, at: int, name: str, number: int) -> None:
        """A timer of this key, as it was kept."""
        heappush(self._due if event else self._alarms, (at, name, number))

    def _set(self, event: bool, at: int, name: str, queue: list[tuple[int, str, int]]) -> None:
        if not self._fires:
            raise TypeError("a timer is set, and nothing takes it: give process(…, on_timer=function)")
        if self._ending:
            return  # the input has ended: what is set now would go on and on
        if self._after is not None and self._after[0] == event and at <= self._after[1]:
            raise ValueError(
                f"a timer sets one for {moment(at)}, which is not after its own time"
                f" {moment(self._after[1])}: they would fire for ever"
            )
        self._kept.timers[name] = (event, at)
        heappush(queue, (at, name, self._number))


def _micros(at: Instant) -> int:
    if isinstance(at, str | datetime):
        return epoch_micros(at if isinstance(at, datetime) else datetime.fromisoformat(at))
    raise TypeError(f"{at!r} is no moment: give a datetime, such as row.time + timedelta(minutes=5)")


def moment(value: int) -> datetime | None:
    """Microseconds as people see them; None for a time that there is not."""
    if value == NEVER:
        return None
    try:
        return from_epoch_micros(value)
    except OverflowError:
        return _LAST
