"""A trigger that does not fire."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.model.expression import Expr
from headrace.model.triggers._trigger import Trigger


@dataclass(frozen=True, slots=True)
class Never(Trigger):
    """Never fires."""

    @property
    def text(self) -> str:
        return "never"

    @property
    def fires(self) -> bool:
        return False

    def spec(self, predicates: list[Expr]) -> dict[str, Any]:
        return {"kind": "never"}


def never() -> Never:
    """Do not fire: for `early=` and `late=` of `at_watermark`.

    >>> never().text
    'never'
    """
    return Never()
