"""What every trigger is, and how one is ended by another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from headrace.errors import InvalidTrigger
from headrace.model.expression import Expr

Made = TypeVar("Made", bound="Trigger")


@dataclass(frozen=True, slots=True)
class Trigger:
    """When a window tells its result."""

    @property
    def text(self) -> str:
        raise NotImplementedError

    @property
    def parts(self) -> tuple[Trigger, ...]:
        """The triggers that it is made of."""
        return ()

    @property
    def fires(self) -> bool:
        """Whether it can ever fire."""
        return True

    @property
    def finishes(self) -> bool:
        """Whether it can come to an end, after which it fires no more."""
        return False

    @property
    def asks_watermark(self) -> bool:
        """Whether it, or a part of it, goes by the window's end in event time."""
        return any(part.asks_watermark for part in self.parts)

    def spec(self, predicates: list[Expr]) -> dict[str, Any]:
        """As the kernel takes it, in microseconds; its conditions are added to `predicates`."""
        raise NotImplementedError

    def until(self, end: Trigger) -> Until:
        """Fire as this does, and when `end` does, and after that no more."""
        both = triggers((self, end), ".until()")
        return firing(Until(*both))


@dataclass(frozen=True, slots=True)
class Until(Trigger):
    """Fires when `part` or `end` does, and is finished when `end` has fired or `part` is finished."""

    part: Trigger
    end: Trigger

    @property
    def text(self) -> str:
        return f"({self.part.text}) until ({self.end.text})"

    @property
    def parts(self) -> tuple[Trigger, ...]:
        return (self.part, self.end)

    @property
    def fires(self) -> bool:
        return self.part.fires or self.end.fires

    @property
    def finishes(self) -> bool:
        return self.end.fires or self.part.finishes

    def spec(self, predicates: list[Expr]) -> dict[str, Any]:
        part = self.part.spec(predicates)
        return {"kind": "until", "part": part, "end": self.end.spec(predicates)}


def trigger(given: object, taker: str) -> Trigger:
    """What was given to `taker`, if it is a trigger."""
    if isinstance(given, Trigger):
        return given
    name = getattr(given, "__name__", None)
    called = callable(given) and str(getattr(given, "__module__", "")).startswith("headrace.model.triggers")
    raise InvalidTrigger(
        f"{taker} was given {name if called else repr(given)}, which is not a trigger",
        hint=f"call it: hr.{name}(…)" if called else "give one: hr.each_row(), hr.every('30 seconds'), …",
    )


def triggers(given: Sequence[object], taker: str) -> tuple[Trigger, ...]:
    """All that was given to `taker`, if they are triggers, and at least one."""
    if not given:
        raise InvalidTrigger(
            f"{taker} was given no trigger", hint="give some: hr.after_count(100), hr.every('1 minute')"
        )
    return tuple(trigger(one, taker) for one in given)


def firing(made: Made) -> Made:
    """The trigger, unless it can never fire."""
    if made.fires:
        return made
    raise InvalidTrigger(
        f"{made.text} can never fire",
        hint="leave never() out of it; never() alone stands as early= or late= of at_watermark()",
    )


def listed(parts: tuple[Trigger, ...]) -> str:
    return ", ".join(part.text for part in parts)
