"""The loop of process(), fed as the kernel feeds it, beside the model; and what its parts refuse."""

from __future__ import annotations

from collections import namedtuple
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.model.process import END, NEVER, Timers
from headrace.model.state import shape
from headrace.spark.process_loop import Loop
from headrace.time import epoch_micros
from reference.process import Process
from reference.process_events import events
from reference.records import Drain, Event, Mark, Row, Tick
from reference.scripted import STATE, by_key, on_row, on_timer, second
from reference.sources import Sources

Given = namedtuple("Given", ["id", "t", "v"])
Key = namedtuple("Key", ["id"])
Timer = tuple[bool, str, int]


def micros(at: int | None) -> int:
    return NEVER if at is None else epoch_micros(second(at))


class Kernel:
    """The kernel's part in plain Python: watermarks, and keys kept between batches and sent when they are due."""

    def __init__(self, delay: int, partitions: int) -> None:
        self.delay = delay
        self.sources = Sources(range(partitions), None, 0)
        self.now = 0
        self.kept: dict[Any, tuple[dict[str, Any] | None, list[Timer]]] = {}
        self.told: list[Any] = []

    def batch(self, events: list[Event]) -> None:
        self.loop = Loop(on_row, on_timer, shape(STATE).factory(), ("n",), ("id",))
        self.numbers: dict[Any, int] = {}
        ended = False
        self.moved()
        for event in events:
            if isinstance(event, Row):
                mark = self.sources.speaks(event.partition, self.now)
                self.summon(self.watermark)
                self.touch(event.key)
                row = Given(event.key, second(event.time), event.value)
                known = (self.numbers[event.key], row, micros(event.time), micros(mark), self.watermark)
                self.loop.rows([known])
                self.sources.reaches(event.partition, event.time - self.delay)
            elif isinstance(event, Tick):
                self.now = max(self.now, event.now)
            elif isinstance(event, Mark):
                self.sources.speaks(event.partition, self.now)
                self.sources.reaches(event.partition, event.watermark)
            else:
                self.moved()  # the last piece is over before the input is
                ended = True
            if not isinstance(event, Row):
                self.moved(ended)
        self.moved(ended)
        self.keep()

    @property
    def watermark(self) -> int:
        return micros(self.sources.watermark)

    def touch(self, key: Any) -> None:
        if key not in self.numbers:
            self.numbers[key] = len(self.numbers)
            state, timers = self.kept.get(key, (None, []))
            self.loop.touch(Key(key), state, timers)

    def summon(self, watermark: int, now: int = NEVER) -> None:
        for key, (_state, timers) in self.kept.items():
            if any(at <= (watermark if event else now) for event, _name, at in timers):
                self.touch(key)

    def moved(self, ended: bool = False) -> None:
        watermark = END if ended else self.watermark
        self.summon(watermark, END if ended else micros(self.now))
        self.loop.move(watermark, micros(self.now))

    def keep(self) -> None:
        self.told += self.loop.results
        assert [end for end, *_rest in self.loop.calls][-1:] in ([], [len(self.loop.results)])
        for key, number in self.numbers.items():
            kept = self.loop.kept[number]
            state = None if kept.state.n is None else {"n": kept.state.n}
            self.kept[key] = (state, [(event, name, at) for name, (event, at) in kept.timers.items()])


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_the_loop_means_what_the_model_means_however_the_rows_are_cut(data: st.DataObject) -> None:
    partitions, delay = data.draw(st.sampled_from((1, 1, 2))), data.draw(st.sampled_from((0, 3)))
    drawn = data.draw(events(partitions=partitions))
    kernel = Kernel(delay, partitions)
    left = list(drawn)
    while left:
        size = data.draw(st.sampled_from((1, 2, 7, 100)))
        kernel.batch(left[:size])
        left = left[size:]
    model = Process(delay=delay, partitions=range(partitions))
    assert by_key(kernel.told) == model.run(drawn)


def test_the_model_fires_between_rows_and_not_before() -> None:
    told = Process().run(
        [Row(0, 0, "a", 11), Row(0, 4, "a", 0), Row(0, 5, "b", 0), Row(0, 6, "a", 0), Drain()]
    )
    assert told["a"] == [
        ("row", "", 11, 1, False),
        ("row", "", 0, 2, False),
        ("timer", "x", 5, 2, True),
        ("row", "", 0, 3, False),
    ]


def loop(on_row: Any, on_timer: Any = None, state: Any = "n long") -> Loop:
    found = shape(state)
    made = Loop(on_row, on_timer, found.factory(), found.names, ("id", "page"))
    made.touch(("a", 7), None, [])
    return made


ROW = (0, "row", 10, NEVER, NEVER)


def test_what_a_function_may_return() -> None:
    for given_, found in (
        ((1, 2), [(1, 2)]),
        ({"a": 1}, [{"a": 1}]),
        ([(1,), (2,)], [(1,), (2,)]),
        (None, []),
        (iter([(3,)]), [(3,)]),
    ):
        made = loop(lambda row, state, timers, given_=given_: given_)
        made.rows([ROW])
        assert made.results == found
    made = loop(lambda row, state, timers: "text")
    with pytest.raises(TypeError, match="returned 'text'; yield rows") as caught:
        made.rows([ROW])
    assert caught.value.__notes__ == ["for the key id = 'a', page = 7"]


def test_times_as_the_function_sees_them() -> None:
    seen: list[Any] = []

    def look(row: Any, state: Any, timers: Timers) -> None:
        seen.append((timers.time, timers.watermark, timers.now, timers.late, timers.lateness, timers.key))

    made = loop(look)
    made.rows([(0, "row", NEVER, NEVER, NEVER)])
    made.move(NEVER, micros(9))
    made.rows([(0, "row", micros(1), micros(4), micros(3)), (0, "row", micros(4), micros(4), micros(3))])
    nothing = timedelta(0)
    assert seen == [
        (None, None, None, False, nothing, ("a", 7)),
        (second(1), second(3), second(9), True, timedelta(seconds=3), ("a", 7)),
        (second(4), second(3), second(9), False, nothing, ("a", 7)),
    ]


def test_a_timer_without_a_function_for_it() -> None:
    made = loop(lambda row, state, timers: timers.event(second(1)))
    with pytest.raises(TypeError, match=r"nothing takes it: give process\(…, on_timer=function\)"):
        made.rows([ROW])


def test_a_timer_that_sets_itself_for_its_own_time() -> None:
    made = loop(
        lambda row, state, timers: timers.event(second(1)),
        lambda timer, state, timers: timers.event(timer.time),
    )
    made.rows([ROW])
    with pytest.raises(ValueError, match="which is not after its own time 2026-01-01 00:00:01"):
        made.move(micros(2), micros(2))


def test_what_is_no_moment_and_no_length() -> None:
    for wrong, told in ((5, "5 is no moment"), ("soon", "Invalid isoformat")):
        made = loop(lambda row, state, timers, wrong=wrong: timers.event(wrong), print)
        with pytest.raises((TypeError, ValueError), match=told):
            made.rows([ROW])
    made = loop(lambda row, state, timers: timers.processing("0 seconds"), print)
    made.move(NEVER, 0)
    with pytest.raises(ValueError, match="after 0 microseconds is zero"):
        made.rows([ROW])


def test_text_and_times_without_a_zone_are_utc() -> None:
    made = loop(lambda row, state, timers: timers.event(row, name=str(row)), print)
    moments = ["2026-01-01T00:00:01", second(1).replace(tzinfo=None), second(1)]
    made.rows([(0, moment, NEVER, NEVER, NEVER) for moment in moments])
    assert {at for _event, at in made.kept[0].timers.values()} == {micros(1)}


def test_the_end_fires_what_is_set_and_nothing_that_is_set_then() -> None:
    def row(row: Any, state: Any, timers: Timers) -> None:
        timers.event(second(50), name="event")
        timers.processing("1 day", name="clock")

    def timer(timer: Any, state: Any, timers: Timers) -> Any:
        timers.event(second(90))
        timers.processing("2 days")
        yield timer.name, timers.watermark

    made = loop(row, timer)
    made.move(NEVER, micros(0))
    made.rows([ROW])
    made.move(END, micros(0))
    last = datetime.max.replace(tzinfo=UTC)
    assert made.results == [("event", last), ("clock", last)]
    assert made.kept[0].timers == {}


def test_rows_of_timers_are_not_late_for_what_comes_behind() -> None:
    made = loop(lambda row, state, timers: timers.event(second(5)), lambda timer, state, timers: [("t",)])
    made.rows([(0, "row", micros(0), NEVER, NEVER)])
    made.move(micros(100), micros(0))
    assert made.calls[-1] == (1, 0, micros(5), micros(5))
