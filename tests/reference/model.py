"""The operator: rows into windows, windows into panes."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from reference.records import Drain, Event, Late, Mark, Pane, Row, Tick, aggregated
from reference.sources import Sources
from reference.triggers import QUIET, Ask, Machine, begin, merged

BY_ARRIVAL = ("count", "delta", "punctuated", "all_time")
"""Windows that rows end, and no time; all others end by the clock that they go by."""


@dataclass
class Window:
    """A window of a key that is not closed; `rows` and `fresh` are numbers of rows in order of arrival.

    `fresh` are those since the last pane. `due` is when it is complete, None where no time says so.
    """

    ident: int
    key: Hashable
    start: int | None
    end: int | None
    due: int | None
    trigger: Machine
    rows: list[int] = field(default_factory=list)
    fresh: list[int] = field(default_factory=list)
    complete: bool = False
    index: int = 0
    last: Pane | None = None


@dataclass
class Outcome:
    """What has left so far."""

    panes: list[Pane] = field(default_factory=list)
    late: list[Late] = field(default_factory=list)
    dropped: int = 0


class Reference:
    """The model of one window operator.

    `spec` is the window as the kernel is given it. `delay`, `idle` and `partitions` are the source's: how far
    its watermarks trail, when a partition counts as idle (None: never), and those known beforehand. `start`
    is the clock when the job began. `ttl` is for windows without an end in time.
    """

    def __init__(
        self,
        spec: dict[str, Any],
        *,
        delay: int = 0,
        idle: int | None = None,
        partitions: Iterable[int] = (0,),
        start: int = 0,
        ttl: int | None = None,
    ) -> None:
        self.window = spec["window"]
        self.kind: str = self.window["kind"]
        self.on: str = spec["on"]
        self.keeps_late = spec["late"] != "drop"
        self.accumulation: str = spec["accumulation"]
        self.final_only: bool = spec["final_only"]
        self.trigger = spec["trigger"] or default_trigger(self.kind, self.final_only)
        # Item 3: nothing is late for what has no end in event time, so that lateness says nothing there.
        self.timely = self.kind not in BY_ARRIVAL and self.on != "processing"
        self.lateness: int = spec["lateness"] if self.timely else 0
        self.delay = delay
        # Decision 17: ttl is for windows that rows end. Those that time ends need none.
        self.ttl = ttl if self.kind in BY_ARRIVAL else None
        self.clock = start
        self.drained = False
        self.sources = Sources(partitions, idle, start)
        self.open: list[Window] = []
        self.arrivals: list[tuple[Row, int]] = []
        self.marks: list[int | None] = []
        self.counts: dict[Hashable, list[int]] = {}
        self.newest: dict[Hashable, int] = {}
        self.idents = 0
        self.outcome = Outcome()

    def run(self, events: Iterable[Event]) -> Outcome:
        """Everything that leaves by these events."""
        for event in events:
            self.feed(event)
        return self.outcome

    def feed(self, event: Event) -> Outcome:
        """What one event brings about."""
        assert not self.drained, "after the drain nothing comes"
        panes, late = len(self.outcome.panes), len(self.outcome.late)
        if isinstance(event, Row):
            self.row(event)
        elif isinstance(event, Mark):
            self.mark(event)
        elif isinstance(event, Tick):
            self.tick(event)
        else:
            self.drain(event)
        return Outcome(self.outcome.panes[panes:], self.outcome.late[late:], self.outcome.dropped)

    # Events (items 1 and 2).

    def row(self, row: Row) -> None:
        # Decision 18: a window of ingestion time has watermarks of ingestion time, without a delay. A row that
        # brings no stamp arrives by the clock.
        arrived = self.clock if row.arrived is None else row.arrived
        time = {"event": row.time, "ingestion": arrived, "processing": self.clock}[self.on]
        mark = self.sources.speaks(row.partition, self.clock)
        # Decision 40: where all were idle, the one that speaks is the only one, and so may move the watermark
        # by speaking. That is before its row, for which nothing is open that it is late for.
        self.sources.advance()
        self.advance()
        self.arrivals.append((row, time))
        self.marks.append(mark)
        # The order: the row is put into its windows, whose triggers are asked; then the watermark moves.
        getattr(self, f"into_{self.kind}")(row, time, mark)
        if self.keeps_nothing(row.key):
            self.newest.pop(row.key, None)
        self.sources.reaches(row.partition, arrived if self.on == "ingestion" else row.time - self.delay)
        self.advance()

    def mark(self, mark: Mark) -> None:
        # Decision 19: a mark is heard of its partition as a row is. It says nothing of ingestion time. One that
        # says nothing at all announces that its partition will speak: it is waited for from then on.
        self.sources.speaks(mark.partition, self.clock)
        if mark.watermark is None:
            return
        if self.on != "ingestion":
            self.sources.reaches(mark.partition, mark.watermark)
        self.sources.advance()
        self.advance()

    def tick(self, tick: Tick) -> None:
        # Decision 20: a tick that does not move the clock on is none. One that does makes partitions idle and
        # lets windows be complete and closed; then triggers of what is still open are asked, in order of start.
        if tick.now <= self.clock:
            return
        # Decision 42: the time that the job was away is no partition's silence.
        if tick.away:
            self.sources.pass_over(tick.now - self.clock)
        self.clock = tick.now
        self.sources.tick(tick.now)
        self.advance()
        for window in sorted(self.open, key=in_order):
            self.ask(window, tick=True)

    def drain(self, _drain: Drain) -> None:
        # Decision 21: for windows that end by time it is as if the time had come to infinity, so that those
        # with lateness are first complete and then closed, each at its turn. It is no tick.
        self.drained = True
        self.advance()
        for window in sorted(self.open, key=in_order):
            self.finish(window)

    @property
    def reached(self) -> float:
        """How far the time has come that windows go by."""
        if self.drained:
            return math.inf
        if self.on == "processing" and self.kind not in BY_ARRIVAL:
            return self.clock
        return -math.inf if self.sources.watermark is None else self.sources.watermark

    def advance(self) -> None:
        """Items 4 and 5: what is due by now, one by one."""
        while due := [
            (when, in_order(window), window)
            for window in self.open
            for when in [self.next_due(window)]
            if when is not None and when <= self.reached
        ]:
            _when, _order, window = min(due, key=lambda item: item[:2])
            if not self.lateness:
                self.finish(window)
            elif window.complete:
                self.close(window)
            else:
                self.ask(window, completing=True)
        if self.ttl is not None:
            for key in [key for key, time in self.newest.items() if time + self.ttl <= self.reached]:
                self.forget(key)

    def next_due(self, window: Window) -> int | None:
        if window.due is None:
            return None
        return window.due + (self.lateness if window.complete else 0)

    # Rows into windows (items 3 and 4).

    def into_aligned(self, row: Row, time: int, mark: int | None) -> None:
        size, every, offset = self.window["size"], self.window["every"], self.window["offset"]
        start = (time - offset) // every * every + offset
        starts = []
        while start > time - size:
            starts.append(start)
            start -= every
        self.into_bounds(row, [(at, at + size) for at in reversed(starts)], mark)

    def into_cumulative(self, row: Row, time: int, mark: int | None) -> None:
        step, size = self.window["step"], self.window["size"]
        start = time // size * size
        ends = [end for end in range(start + step, start + size + 1, step) if end > time]
        self.into_bounds(row, [(start, end) for end in ends], mark)

    def into_bounds(self, row: Row, bounds: list[tuple[int, int]], mark: int | None) -> None:
        """Decision 22: a row of several windows comes into them, or is late for them, in order of start, then end."""
        for start, end in bounds:
            if self.is_late(end, mark):
                self.is_left_out(row, (start, end), mark)
                continue
            known = [window for window in self.of(row.key) if (window.start, window.end) == (start, end)]
            self.add(known[0] if known else self.begin(row.key, start, end, due=end))

    def into_trailing(self, row: Row, time: int, mark: int | None) -> None:
        # Decision 23: the window (t - size, t] shows the bounds t - size and t. In whole microseconds it ends
        # at t + 1, which is when it is complete, and what lateness counts from.
        #
        # Decision 24: a row is late for its own window alone. It counts in those of other rows, earlier and
        # later ones, that it is in and not too late for by its own mark; there it is not reported.
        start, due = time - self.window["size"], time + 1
        others = [other for other in self.of(row.key) if not self.is_late(other.due, mark)]
        takers = [other for other in others if bounds(other)[0] < time <= bounds(other)[1]]
        if self.is_late(due, mark):
            self.is_left_out(row, (start, time), mark)
        else:
            own = self.begin(row.key, start, time, due=due)
            own.rows = [
                number
                for number, (earlier, when) in enumerate(self.arrivals[:-1])
                if earlier.key == row.key
                and start < when <= time
                and not self.is_late(due, self.marks[number])
            ]
            own.fresh = list(own.rows)
            takers.append(own)
        for window in sorted(takers, key=in_order):
            self.add(window)

    def into_session(self, row: Row, time: int, mark: int | None) -> None:
        # Decision 25: a gap that is null or not above zero has no meaning here.
        gap = self.window["gap"] if self.window["gap"] is not None else row.gap
        assert gap is not None and gap > 0
        start, end = time, time + gap
        joined: list[Window] = []
        # Decision 26: a session that has closed by the row's own `mark` is closed to this row, also where the
        # operator's watermark has not come so far. What a session holds would else depend on when shards hear
        # of each other's watermarks. (So sessions of several source partitions can overlap.)
        reachable = [session for session in self.of(row.key) if not self.is_late(session.due, mark)]
        while found := [
            session
            for session in reachable
            if session not in joined and bounds(session)[0] <= end and start <= bounds(session)[1]
        ]:
            joined += found
            start = min(start, *(bounds(session)[0] for session in found))
            end = max(end, *(bounds(session)[1] for session in found))
        if self.is_late(end, mark):
            self.is_left_out(row, (start, end), mark)
        elif len(joined) == 1 and (joined[0].start, joined[0].end) == (start, end):
            self.add(joined[0])
        else:
            self.add(self.joined(row.key, start, end, sorted(joined, key=in_order)))

    def into_count(self, row: Row, time: int, mark: int | None) -> None:
        # Decision 27: the k-th window of a key holds the rows numbered k·every - n + 1 to k·every. It begins
        # with the first row behind the window before (so that a key has one at a time), holds the rows before
        # that from its beginning, as new to it, and asks its trigger about rows from then on.
        self.expire(row.key, mark)
        n, every = self.window["n"], self.window["every"]
        numbers = self.counts.setdefault(row.key, [])
        numbers.append(len(self.arrivals) - 1)
        nth = (len(numbers) + every - 1) // every
        window = self.present(row.key)
        if window is None:
            window = self.begin(row.key)
            window.rows = numbers[max(0, nth * every - n) : -1]
            window.fresh = list(window.rows)
        self.add(window, completing=len(numbers) == nth * every)

    def into_delta(self, row: Row, time: int, mark: int | None) -> None:
        self.expire(row.key, mark)
        threshold = self.window["threshold"]
        window = self.present(row.key)
        if window is not None:
            # Decision 28: a null differs from nothing; rows are compared with the window's first that is none.
            values = [self.arrivals[number][0].value for number in window.rows]
            first = next((value for value in values if value is not None), None)
            if first is not None and row.value is not None and abs(row.value - first) > threshold:
                self.finish(window)
                window = None
        self.add(window or self.begin(row.key))

    def into_punctuated(self, row: Row, time: int, mark: int | None) -> None:
        # Decision 29: with both, `begin` says nothing within a window, and `end` nothing outside of one. A row
        # for which both hold is a window by itself. A predicate that is null does not hold.
        self.expire(row.key, mark)
        window = self.present(row.key)
        if window is not None and row.begin and self.window["begin"] and not self.window["end"]:
            self.finish(window)
            window = None
        if window is None and self.window["begin"] and not row.begin:
            # Decision 30: its watermark is null where its partition has none yet.
            self.is_left_out(row, None, mark)
            return
        self.add(window or self.begin(row.key), completing=row.end and self.window["end"])

    def into_all_time(self, row: Row, time: int, mark: int | None) -> None:
        self.expire(row.key, mark)
        self.add(self.present(row.key) or self.begin(row.key))

    # Windows.

    def of(self, key: Hashable) -> list[Window]:
        return [window for window in self.open if window.key == key]

    def present(self, key: Hashable) -> Window | None:
        """The open window of a key that has one at a time."""
        return next(iter(self.of(key)), None)

    def is_late(self, end: int | None, mark: int | None) -> bool:
        """Item 3."""
        if not self.timely or mark is None:
            return False
        assert end is not None
        return end + self.lateness <= mark

    def is_left_out(self, row: Row, window: tuple[int, int] | None, mark: int | None) -> None:
        if self.keeps_late:
            self.outcome.late.append(Late(row, window, mark))
        else:
            self.outcome.dropped += 1

    def begin(
        self, key: Hashable, start: int | None = None, end: int | None = None, due: int | None = None
    ) -> Window:
        self.idents += 1
        window = Window(self.idents, key, start, end, due, begin(self.trigger))
        self.open.append(window)
        return window

    def joined(self, key: Hashable, start: int, end: int, sessions: list[Window]) -> Window:
        """Items 8 and 9: one session in place of these.

        Decision 31: whatever the accumulation, another interval is another window: its panes count from 0, and
        it is not complete before its own end. Those taken back are, in order of start, before its first pane.
        Discarding, it goes on with what each had not shown yet.
        """
        window = self.begin(key, start, end, due=end)
        for session in sessions:
            if session.last is not None and self.accumulation == "retracting":
                self.leaves(replace(session.last, op="-D"))
            window.rows = sorted(window.rows + session.rows)
            window.fresh = sorted(window.fresh + session.fresh)
            self.open.remove(session)
        if sessions:
            window.trigger = merged([session.trigger for session in sessions])
        return window

    def add(self, window: Window, *, completing: bool = False) -> None:
        """The row that has just come, into a window that it is in."""
        number = len(self.arrivals) - 1
        window.rows.append(number)
        window.fresh.append(number)
        row = self.arrivals[number][0]
        if self.kind in BY_ARRIVAL:
            # Decision 32: a key's last event time is the highest of its rows that came into a window.
            self.newest[row.key] = max(row.time, self.newest.get(row.key, row.time))
        self.ask(window, row=row, completing=completing)
        if completing:
            self.close(window)

    def finish(self, window: Window) -> None:
        """Complete, if it is not yet, and closed."""
        if not window.complete:
            self.ask(window, completing=True)
        self.close(window)

    def expire(self, key: Hashable, mark: int | None) -> None:
        """Decision 33: a key whose ttl has passed by the row's own `mark` has been freed for this row."""
        if self.ttl is None or mark is None or key not in self.newest:
            return
        if self.newest[key] + self.ttl <= mark:
            self.forget(key)

    def keeps_nothing(self, key: Hashable) -> bool:
        """Decision 41: a key of which nothing is kept behind a row begins anew, its ttl too."""
        overlapping = self.kind == "count" and self.window["n"] > self.window["every"]
        return not overlapping and not self.of(key)

    def forget(self, key: Hashable) -> None:
        for window in self.of(key):
            self.finish(window)
        self.counts.pop(key, None)
        self.newest.pop(key, None)

    # Panes (items 6, 7 and 8).

    def ask(
        self, window: Window, *, row: Row | None = None, tick: bool = False, completing: bool = False
    ) -> None:
        """Ask the trigger, and fire."""
        # Decision 34: a row may come into a window whose end the watermark has passed, and that is not known
        # yet (or has only now got this end, as a session). It is complete with that row.
        passed = window.due is not None and window.due <= self.reached
        was_complete = window.complete
        answer = QUIET
        if row is not None or tick:
            answer = window.trigger.ask(Ask(self.clock, row, tick, complete=was_complete))
        # Decision 1: where a row completes its window (such a one; the n-th of a count window; one for which
        # `end` holds), the trigger is asked about the row and then about completion, and one pane answers both.
        if not was_complete and (completing or passed):
            window.complete = True
            answer |= window.trigger.ask(Ask(self.clock, completing=True))
        if not answer.fires:
            return
        follows = answer.on_time and self.accumulation != "discarding"
        if not window.fresh and not follows:
            return
        # Decision 35: a row of such a window that fires by itself, and not because of completion, is late.
        alone = "late" if was_complete or passed else "early"
        self.fire(window, "on_time" if answer.on_time else alone, final=answer.on_time and not self.lateness)

    def close(self, window: Window) -> None:
        """Decision 36: what closing fires is on time where closing and completion are one (no lateness), else late."""
        self.open.remove(window)
        told = window.last is not None and window.last.final
        if window.fresh or (self.final_only and not told):
            self.fire(window, "late" if self.lateness else "on_time", final=True)

    def fire(self, window: Window, timing: str, *, final: bool) -> None:
        # Decision 37: under discarding, bounds that come from rows come from all the window's rows so far.
        shown = window.fresh if self.accumulation == "discarding" else window.rows
        pane = Pane(
            key=window.key,
            window=self.shown_bounds(window),
            op="",
            timing=timing,
            index=window.index,
            final=final,
            **aggregated([self.arrivals[number][0] for number in shown]),  # type: ignore[arg-type]
            ident=window.ident,
        )
        if self.accumulation == "retracting":
            if window.last is not None:
                # Decision 38: it is taken back as it was, its timing, index and final included.
                self.leaves(replace(window.last, op="-U"))
            pane = replace(pane, op="+I" if window.last is None else "+U")
        self.leaves(pane)
        window.last = pane
        window.index += 1
        window.fresh = []

    def leaves(self, pane: Pane) -> None:
        # Decision 39: where only final panes are asked for, all others are counted (index) and do not leave.
        if pane.final or not self.final_only:
            self.outcome.panes.append(pane)

    def shown_bounds(self, window: Window) -> tuple[int, int] | None:
        if self.kind == "all_time":
            return None
        if self.kind in BY_ARRIVAL:
            return (self.arrivals[window.rows[0]][0].time, self.arrivals[window.rows[-1]][0].time)
        return bounds(window)


def default_trigger(kind: str, final_only: bool) -> dict[str, Any]:
    """Item 10."""
    if kind == "all_time":
        return {"kind": "each_row"}
    return {"kind": "at_watermark", "early": None, "late": None if final_only else {"kind": "each_row"}}


def bounds(window: Window) -> tuple[int, int]:
    assert window.start is not None and window.end is not None
    return window.start, window.end


def in_order(window: Window) -> tuple[int, int]:
    """By start, and then by age."""
    return (0 if window.start is None else window.start, window.ident)
