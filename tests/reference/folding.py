"""The final table: what a reader of all panes knows in the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable

from reference.records import Pane

Total = tuple[int, int | None, int | None, int | None, tuple[int, ...]]
Table = dict[tuple[Hashable, tuple[int, int] | None], list[Total]]
"""For each key and window n, s, lo, hi and the values (sorted); a list, as windows can look the same."""


def folded(panes: Iterable[Pane], accumulation: str, *, idents: bool = False) -> Table:
    """The table that the panes come to.

    Discarding: what panes of a window say is added up. Accumulating: the last one holds. Retracting: what is
    put in less what is taken out, which must be there. A window is told by its key and its bounds, as users do
    it, or with `idents` by the number that the model gives it.
    """
    if accumulation == "retracting":
        return _balanced(panes)
    groups: dict[Hashable, list[Pane]] = {}
    for pane in panes:
        groups.setdefault((pane.key, pane.ident if idents else pane.window), []).append(pane)
    table: Table = {}
    for group in groups.values():
        last = group[-1]
        total = _added(group) if accumulation == "discarding" else _total(last)
        table.setdefault((last.key, last.window), []).append(total)
    return _sorted(table)


def _balanced(panes: Iterable[Pane]) -> Table:
    present: Counter[tuple[Hashable, tuple[int, int] | None, Total]] = Counter()
    for pane in panes:
        row = (pane.key, pane.window, _total(pane))
        if pane.op in ("+I", "+U"):
            present[row] += 1
        else:
            assert present[row] > 0, f"{pane} takes back what was never given"
            present[row] -= 1
    table: Table = {}
    for key, window, total in present.elements():
        table.setdefault((key, window), []).append(total)
    return _sorted(table)


def _total(pane: Pane) -> Total:
    return (pane.n, pane.s, pane.lo, pane.hi, tuple(sorted(pane.values)))


def _added(panes: list[Pane]) -> Total:
    sums = [pane.s for pane in panes if pane.s is not None]
    lows = [pane.lo for pane in panes if pane.lo is not None]
    highs = [pane.hi for pane in panes if pane.hi is not None]
    values = sorted(value for pane in panes for value in pane.values)
    return (
        sum(pane.n for pane in panes),
        sum(sums) if sums else None,
        min(lows, default=None),
        max(highs, default=None),
        tuple(values),
    )


def _sorted(table: Table) -> Table:
    return {at: sorted(totals, key=repr) for at, totals in table.items()}
