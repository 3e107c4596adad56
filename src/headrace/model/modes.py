"""How a job is run, and what its sinks are handed."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from headrace.errors import InvalidOption, did_you_mean


class Mode(StrEnum):
    """The ways to run the same job."""

    BATCH = "batch"
    AVAILABLE_NOW = "available-now"
    MICRO_BATCH = "micro-batch"
    REAL_TIME = "real-time"

    @property
    def streaming(self) -> bool:
        return self is not Mode.BATCH

    @property
    def ends(self) -> bool:
        """Whether the job ends by itself when its input is used up."""
        return self in (Mode.BATCH, Mode.AVAILABLE_NOW)


class Output(StrEnum):
    """Which rows of a result a sink is handed: final ones, changed ones, or all of them again."""

    APPEND = "append"
    UPDATE = "update"
    COMPLETE = "complete"


_Choice = TypeVar("_Choice", bound=StrEnum)


def choice(kind: type[_Choice], value: str, what: str) -> _Choice:
    """A member of `kind` by its name, or what would have been taken."""
    try:
        return kind(value)
    except ValueError:
        known = [str(member) for member in kind]
        raise InvalidOption(
            f"no {what} '{value}'", hint=did_you_mean(str(value), known, f"{what}s")
        ) from None
