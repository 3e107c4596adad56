"""Stories about time, told in few words: what comes, and what leaves by it."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from reference.model import Outcome, Reference
from reference.records import Drain, Event, Late, Mark, Pane, Row, Tick

EACH_ROW = {"kind": "each_row"}
NEVER = {"kind": "never"}
DRAIN = Drain()


def at(time: int, value: int | None = None, key: Hashable = "a", *, p: int = 0, **more: Any) -> Row:
    """A row; its value is its time, unless another is given."""
    return Row(p, time, key, time if value is None else value, **more)


def tick(now: int) -> Tick:
    return Tick(now)


def mark(watermark: int, p: int = 0) -> Mark:
    return Mark(p, watermark)


def at_watermark(early: dict[str, Any] | None = None, late: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"kind": "at_watermark", "early": early, "late": late}


def after_count(n: int) -> dict[str, Any]:
    return {"kind": "after_count", "n": n}


def after_delay(delay: int) -> dict[str, Any]:
    return {"kind": "after_delay", "delay": delay}


def every(length: int) -> dict[str, Any]:
    return {"kind": "every", "every": length}


def when(predicate: int) -> dict[str, Any]:
    return {"kind": "when", "predicate": predicate}


def of_parts(kind: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"kind": kind, "parts": list(parts)}


def repeat(part: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "repeat", "part": part}


def until(part: dict[str, Any], end: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "until", "part": part, "end": end}


def tumbling(size: int, offset: int = 0) -> dict[str, Any]:
    return {"kind": "aligned", "size": size, "every": size, "offset": offset}


def sliding(size: int, every: int) -> dict[str, Any]:
    return {"kind": "aligned", "size": size, "every": every, "offset": 0}


def session(gap: int | None) -> dict[str, Any]:
    return {"kind": "session", "gap": gap}


def specified(
    window: dict[str, Any],
    *,
    on: str = "event",
    lateness: int = 0,
    late: str = "keep",
    trigger: dict[str, Any] | None = None,
    accumulation: str = "accumulating",
    final_only: bool = False,
) -> dict[str, Any]:
    return {
        "window": window,
        "on": on,
        "lateness": lateness,
        "late": late,
        "trigger": trigger,
        "accumulation": accumulation,
        "final_only": final_only,
        "pane": trigger is not None,
        "op": accumulation == "retracting",
    }


class Story:
    """A window, and what happens to it: `after(event, …)` gives what left, one line for each pane or late row.

    A line is `op key start..end timing index: values`, with `!` behind the index of a final pane; a late row
    is `late key value for start..end at watermark`.
    """

    def __init__(
        self,
        window: dict[str, Any],
        *,
        delay: int = 0,
        idle: int | None = None,
        partitions: tuple[int, ...] = (0,),
        start: int = 0,
        ttl: int | None = None,
        **words: Any,
    ) -> None:
        self.model = Reference(
            specified(window, **words), delay=delay, idle=idle, partitions=partitions, start=start, ttl=ttl
        )

    def after(self, *events: Event) -> list[str]:
        told: list[str] = []
        for event in events:
            told += lines(self.model.feed(event))
        return told

    @property
    def watermark(self) -> int | None:
        return self.model.sources.watermark


def lines(outcome: Outcome) -> list[str]:
    return [pane_line(pane) for pane in outcome.panes] + [late_line(late) for late in outcome.late]


def pane_line(pane: Pane) -> str:
    op = f"{pane.op} " if pane.op else ""
    values = " ".join(map(str, pane.values))
    final = "!" if pane.final else ""
    return f"{op}{pane.key} {bounds(pane.window)}{pane.timing} {pane.index}{final}: {values}".rstrip()


def late_line(late: Late) -> str:
    window = bounds(late.window).rstrip() or "no window"
    return f"late {late.row.key} {late.row.value} for {window} at {late.mark}"


def bounds(window: tuple[int, int] | None) -> str:
    return "" if window is None else f"{window[0]}..{window[1]} "
