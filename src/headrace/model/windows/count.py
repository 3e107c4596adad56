"""Count windows: so many rows of a key, in order of arrival."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from headrace.errors import InvalidWindow
from headrace.model.windows._window import TimeOf, Window

MOST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Count(Window):
    """The last `n` rows, at every `every`-th row."""

    ends_by_rows: ClassVar[bool] = True

    n: int
    every: int

    @property
    def text(self) -> str:
        return f"count {self.n}" if self.every == self.n else f"count {self.n} every {self.every}"

    def spec(self) -> dict[str, Any]:
        return {"kind": "count", "n": self.n, "every": self.every}


def count(n: int, *, every: int | None = None) -> Count:
    """A window of `n` rows, side by side; with `every`, the last `n` rows at every so many of them.

    >>> count(100, every=10).text
    'count 100 every 10'
    """
    step = n if every is None else every
    for value, what in ((n, "n"), (step, "every")):
        if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= MOST:
            raise InvalidWindow(
                f"{what} {value!r} is not a number of rows",
                hint="give a whole number above zero: hr.count(100)",
            )
    if step > n:
        raise InvalidWindow(
            f"every {step} rows > {n} rows loses the rows between windows", hint=f"use every <= {n}"
        )
    return Count(TimeOf.EVENT, n, step)
