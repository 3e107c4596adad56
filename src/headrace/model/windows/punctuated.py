"""Punctuated windows: rows themselves say where a window begins and where it ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from headrace.errors import InvalidWindow
from headrace.model.expression import Expr, Expression, expr
from headrace.model.windows._window import TimeOf, Window


@dataclass(frozen=True, slots=True)
class Punctuated(Window):
    """Rows of a key from one for which `begin` holds to one for which `end` holds."""

    ends_by_rows: ClassVar[bool] = True

    end: Expr | None
    begin: Expr | None

    @property
    def text(self) -> str:
        said = [f"{name} {found}" for name, found in self.expressions().items()]
        return f"punctuated {', '.join(said)}"

    def spec(self) -> dict[str, Any]:
        return {"kind": "punctuated", "begin": self.begin is not None, "end": self.end is not None}

    def expressions(self) -> dict[str, Expr]:
        said = {"begin": self.begin, "end": self.end}
        return {name: found for name, found in said.items() if found is not None}


def punctuated(*, end: Expression | None = None, begin: Expression | None = None) -> Punctuated:
    """A window ends with the row for which `end` holds; without `end`, before one for which `begin` does.

    Without `begin`, one begins with the row after the last one's end.

    >>> punctuated(begin="kind = 'login'", end="kind = 'logout'").text
    "punctuated begin kind = 'login', end kind = 'logout'"
    """
    if end is None and begin is None:
        raise InvalidWindow(
            "punctuated() was told neither where a window begins nor where it ends",
            hint="""give a condition: hr.punctuated(end="kind = 'logout'")""",
        )
    return Punctuated(
        TimeOf.EVENT,
        None if end is None else expr(end),
        None if begin is None else expr(begin),
    )
