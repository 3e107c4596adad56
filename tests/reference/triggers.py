"""Item 6, triggers as state machines: one for each window, asked at each event that the window sees.

A machine is made from the trigger's description. `ask` tells whether it fires; `finished` machines fire no
more. `merged` makes one machine of those of sessions that have become one (item 9).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reference.records import Row


@dataclass(frozen=True)
class Ask:
    """What a window sees: one of a row of its own, a tick, or its completion."""

    clock: int
    row: Row | None = None
    tick: bool = False
    completing: bool = False
    complete: bool = False


@dataclass(frozen=True)
class Answer:
    """Whether a trigger fires, and whether it is completion that it fires for."""

    fires: bool = False
    on_time: bool = False

    def __or__(self, other: Answer) -> Answer:
        return Answer(self.fires or other.fires, self.on_time or other.on_time)


QUIET, FIRES, ON_TIME = Answer(), Answer(fires=True), Answer(fires=True, on_time=True)


class Machine:
    """A trigger that has begun."""

    finished = False

    def __init__(self, spec: dict[str, Any]) -> None:
        self.spec = spec

    def ask(self, event: Ask) -> Answer:
        return QUIET if self.finished else self.answer(event)

    def answer(self, event: Ask) -> Answer:
        raise NotImplementedError

    def merge(self, others: Sequence[Any]) -> None:
        """Take in what the others have come to."""


def begin(spec: dict[str, Any]) -> Machine:
    return MACHINES[spec["kind"]](spec)


def merged(machines: Sequence[Machine]) -> Machine:
    """Item 9. Of the sessions that merge; the row that joins them has no machine of its own.

    Decision 2: a single session that just grows goes through this too, alone: what was finished stays
    finished, save that its completion is still to come.
    """
    one = machines[0]
    one.merge(machines[1:])
    return one


class Never(Machine):
    def answer(self, event: Ask) -> Answer:
        return QUIET


class EachRow(Machine):
    def answer(self, event: Ask) -> Answer:
        return FIRES if event.row is not None else QUIET


class When(Machine):
    def answer(self, event: Ask) -> Answer:
        if event.row is not None and event.row.holds[self.spec["predicate"]]:
            return FIRES
        return QUIET


class AfterCount(Machine):
    count = 0

    def answer(self, event: Ask) -> Answer:
        if event.row is not None:
            self.count += 1
        if self.count < self.spec["n"]:
            return QUIET
        self.finished = True
        return FIRES

    def merge(self, others: Sequence[AfterCount]) -> None:
        # Decision 3: what is finished has its n rows to add, so that with a session that had not come so far
        # it fires (again) at the very row that joins them.
        self.count += sum(other.count for other in others)
        self.finished = self.finished and all(other.finished for other in others)


class AfterDelay(Machine):
    deadline: int | None = None

    def answer(self, event: Ask) -> Answer:
        if event.row is not None and self.deadline is None:
            self.deadline = event.clock + self.spec["delay"]
        if event.tick and self.deadline is not None and event.clock >= self.deadline:
            self.finished, self.deadline = True, None
            return FIRES
        return QUIET

    def merge(self, others: Sequence[AfterDelay]) -> None:
        # Decision 4: what is finished has no deadline any more.
        self.deadline = earliest([self.deadline, *(other.deadline for other in others)])
        self.finished = self.finished and all(other.finished for other in others)


class Every(Machine):
    deadline: int | None = None

    def answer(self, event: Ask) -> Answer:
        if event.row is not None and self.deadline is None:
            # Decision 5: the next multiple is after the row; a row that comes at a multiple waits for the next.
            self.deadline = (event.clock // self.spec["every"] + 1) * self.spec["every"]
        if event.tick and self.deadline is not None and event.clock >= self.deadline:
            # Decision 6: this firing is its own. A pane that another part of the trigger has fired in between
            # does not move the deadline; if no row came since that pane, this firing shows nothing (item 7).
            self.deadline = None
            return FIRES
        return QUIET

    def merge(self, others: Sequence[Every]) -> None:
        self.deadline = earliest([self.deadline, *(other.deadline for other in others)])


class Parts(Machine):
    """A trigger made of others."""

    def __init__(self, spec: dict[str, Any]) -> None:
        super().__init__(spec)
        self.parts = [begin(part) for part in spec["parts"]]

    def merge_parts(self, others: Sequence[Parts]) -> None:
        for at, part in enumerate(self.parts):
            part.merge([other.parts[at] for other in others])


class AnyOf(Parts):
    def answer(self, event: Ask) -> Answer:
        # Decision 7: each part sees each event, also when another has fired at it.
        answers = [part.ask(event) for part in self.parts]
        self.finished = any(part.finished for part in self.parts)
        return either(answers)

    def merge(self, others: Sequence[AnyOf]) -> None:
        # Decision 8: it is finished if one of its merged parts is.
        self.merge_parts(others)
        self.finished = any(part.finished for part in self.parts)


class AllOf(Parts):
    def __init__(self, spec: dict[str, Any]) -> None:
        super().__init__(spec)
        self.fired = [False] * len(self.parts)

    def answer(self, event: Ask) -> Answer:
        answers = [part.ask(event) for part in self.parts]
        self.fired = [was or now.fires for was, now in zip(self.fired, answers, strict=True)]
        if not all(self.fired):
            return QUIET
        self.finished = True
        return Answer(fires=True, on_time=either(answers).on_time)

    def merge(self, others: Sequence[AllOf]) -> None:
        # Decision 9: a part has fired if it has in one of the sessions. If all have by that, but not all in
        # one session, the merged one fires at the row that joins them.
        self.merge_parts(others)
        self.fired = [any(pair) for pair in zip(self.fired, *(other.fired for other in others), strict=True)]
        self.finished = self.finished and all(other.finished for other in others)


class InOrder(Parts):
    turn = 0

    def answer(self, event: Ask) -> Answer:
        # Decision 10: the next part begins behind the event that finished the one before; it does not see it.
        answer = self.parts[self.turn].ask(event)
        if self.parts[self.turn].finished:
            self.turn += 1
        self.finished = self.turn == len(self.parts)
        return answer

    def merge(self, others: Sequence[InOrder]) -> None:
        # Decision 11: it is the turn of the first part that is not finished in all; parts behind it begin
        # anew when their turn comes.
        self.turn = min([self.turn, *(other.turn for other in others)])
        self.finished = self.turn == len(self.parts)
        if not self.finished:
            self.parts[self.turn].merge([other.parts[self.turn] for other in others])
        behind = self.spec["parts"][self.turn + 1 :]
        self.parts[self.turn + 1 :] = [begin(part) for part in behind]


class Repeat(Machine):
    def __init__(self, spec: dict[str, Any]) -> None:
        super().__init__(spec)
        self.part = begin(spec["part"])

    def answer(self, event: Ask) -> Answer:
        answer = self.part.ask(event)
        if self.part.finished:
            self.part = begin(self.spec["part"])
        return answer

    def merge(self, others: Sequence[Repeat]) -> None:
        self.part.merge([other.part for other in others])


class Until(Machine):
    def __init__(self, spec: dict[str, Any]) -> None:
        super().__init__(spec)
        self.part, self.end = begin(spec["part"]), begin(spec["end"])
        self.ended = False

    def answer(self, event: Ask) -> Answer:
        part, end = self.part.ask(event), self.end.ask(event)
        self.ended = end.fires
        self.finished = self.ended or self.part.finished
        return part | end

    def merge(self, others: Sequence[Until]) -> None:
        self.part.merge([other.part for other in others])
        self.end.merge([other.end for other in others])
        self.ended = self.ended and all(other.ended for other in others)
        self.finished = self.ended or self.part.finished


class AtWatermark(Machine):
    """Early, completion, late.

    Decision 12: completion happens once to a window. `at_watermark` without `late` is finished with it; one
    that begins behind it (as a part of another trigger) is in its late phase at once.
    """

    def __init__(self, spec: dict[str, Any]) -> None:
        super().__init__(spec)
        self.completed = False
        self.phase = repeating(spec["early"])

    def answer(self, event: Ask) -> Answer:
        if not self.completed and (event.completing or event.complete):
            self.completed = True
            self.phase = repeating(self.spec["late"])
            self.finished = self.spec["late"] is None
            if event.completing:
                return ON_TIME
        return self.phase.ask(event)

    def merge(self, others: Sequence[AtWatermark]) -> None:
        # Decision 13: completion is still to come. What `early` has come to in sessions that were not complete
        # is merged; if all were complete, it begins anew.
        waiting = [machine for machine in (self, *others) if not machine.completed]
        if waiting:
            self.phase = merged([machine.phase for machine in waiting])
        else:
            self.phase = repeating(self.spec["early"])
        self.completed = self.finished = False


def repeating(spec: dict[str, Any] | None) -> Machine:
    return begin({"kind": "never"} if spec is None else {"kind": "repeat", "part": spec})


def either(answers: list[Answer]) -> Answer:
    return Answer(any(answer.fires for answer in answers), any(answer.on_time for answer in answers))


def earliest(deadlines: list[int | None]) -> int | None:
    return min((deadline for deadline in deadlines if deadline is not None), default=None)


MACHINES: dict[str, type[Machine]] = {
    "at_watermark": AtWatermark,
    "each_row": EachRow,
    "after_count": AfterCount,
    "after_delay": AfterDelay,
    "every": Every,
    "when": When,
    "any_of": AnyOf,
    "all_of": AllOf,
    "in_order": InOrder,
    "repeat": Repeat,
    "until": Until,
    "never": Never,
}
