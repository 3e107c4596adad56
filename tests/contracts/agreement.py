"""What the kernel told and what the model says, side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import zip_longest
from statistics import median
from typing import Any

from contracts.cases import Case, Spec
from contracts.rehearsal import Told
from reference.model import Outcome
from reference.records import Pane

Line = tuple[Any, ...]


@dataclass(frozen=True)
class Account:
    """Panes of each key in their order, and of each key its late rows in theirs."""

    panes: dict[Hashable, list[Line]]
    late: dict[Hashable, list[Line]]


def of_model(case: Case, spec: Spec, outcome: Outcome, aggregates: str) -> Account:
    """What the model says."""
    numbers = {id(event): number for number, event in enumerate(case.events)}
    panes = [(pane.key, _pane(pane, spec, aggregates)) for pane in outcome.panes]
    late = [(one.row.key, (numbers[id(one.row)], one.window, one.mark)) for one in outcome.late]
    return Account(_by_key(panes), _by_key(late))


def of_kernel(case: Case, spec: Spec, told: Iterable[Told], aggregates: str) -> Account:
    """What the kernel told."""
    panes: list[tuple[Hashable, Line]] = []
    late: list[tuple[Hashable, Line]] = []
    for batch in told:
        for one in batch.panes:
            values = {name: value for name, value in one["row"].items() if name != "key"}
            said = (one["timing"], one["index"], one["final"]) if spec["pane"] else ()
            op = one["op"] if spec["op"] else ""
            panes.append((one["row"]["key"], (_window(one), op, *said, *_shown(values, aggregates))))
        for one in batch.late if spec["late"] != "drop" else []:
            number = one["row"]["number"]
            event: Any = case.events[number]
            late.append((event.key, (number, _window(one), one["mark"])))
    return Account(_by_key(panes), _by_key(late))


def _window(one: dict[str, Any]) -> tuple[int, int] | None:
    return None if one["window"] is None else (one["window"][0], one["window"][1])


def _pane(pane: Pane, spec: Spec, aggregates: str) -> Line:
    """A pane's timing, index and whether it is final are told where a trigger was named."""
    said = {"n": pane.n, "s": pane.s, "lo": pane.lo, "hi": pane.hi, "values": pane.values}
    if aggregates == "spread":
        said |= {"middle": float(median(pane.values)) if pane.values else None}
    told = (pane.timing, pane.index, pane.final) if spec["pane"] else ()
    return (pane.window, pane.op, *told, *_shown(said, aggregates))


def _shown(said: dict[str, Any], aggregates: str) -> Line:
    names = {
        "listed": ("n", "s", "lo", "hi", "values"),
        "added": ("n", "s", "lo", "hi"),
        "spread": ("n", "middle"),
    }
    return tuple(tuple(sorted(said[name])) if name == "values" else said[name] for name in names[aggregates])


def _by_key(lines: Iterable[tuple[Hashable, Line]]) -> dict[Hashable, list[Line]]:
    found: dict[Hashable, list[Line]] = {}
    for key, line in lines:
        found.setdefault(key, []).append(line)
    return found


def difference(told: Account, expected: Account) -> str | None:
    """The first line that differs, of the panes or of the late rows of a key."""
    for what in ("panes", "late"):
        mine, theirs = getattr(told, what), getattr(expected, what)
        for key in {**theirs, **mine}:
            for at, (one, other) in enumerate(zip_longest(mine.get(key, []), theirs.get(key, []))):
                if one != other:
                    return f"{what} of {key!r}, number {at}: the kernel told {one}, the model says {other}"
    return None


def panes_of(told: Iterable[Told]) -> list[Pane]:
    """The kernel's panes as the model's, so that they can be folded."""
    return [
        Pane(
            key=one["row"]["key"],
            window=_window(one),
            values=tuple(one["row"]["values"]),
            **{name: one["row"][name] for name in ("n", "s", "lo", "hi")},
            **{name: one[name] for name in ("op", "timing", "index", "final")},
        )
        for batch in told
        for one in batch.panes
    ]


def late_of(case: Case, told: Iterable[Told]) -> Counter[Line]:
    """The kernel's late rows, which a window that drops them has none of."""
    if case.specs[0]["late"] == "drop":
        return Counter()
    return Counter((one["row"]["number"], _window(one), one["mark"]) for batch in told for one in batch.late)
