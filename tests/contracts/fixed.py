"""A case that is run on Spark itself: one stream of rows, and a window of each kind on it."""

from __future__ import annotations

from typing import Any

from contracts.cases import Case
from reference.records import Drain, Mark, Row, Tick
from reference.telling import (
    EACH_ROW,
    after_count,
    after_delay,
    at_watermark,
    every,
    of_parts,
    repeat,
    session,
    sliding,
    specified,
    tumbling,
    until,
    when,
)


def row(partition: int, time: int, key: str | None, value: int | None, gap: int, **more: Any) -> Row:
    """A row for which none of the triggers' two conditions holds, unless it is said."""
    return Row(partition, time, key, value, gap=gap, **{"holds": (False, False), **more})


WINDOWS = (
    specified(tumbling(10, 3), lateness=5, trigger=at_watermark(early=every(10), late=EACH_ROW)),
    specified(sliding(10, 5)),
    specified(session(10), lateness=5, trigger=at_watermark(early=EACH_ROW), accumulation="retracting"),
    specified({"kind": "trailing", "size": 10}, lateness=5),
    specified(
        {"kind": "count", "n": 3, "every": 2}, trigger=repeat(after_delay(5)), accumulation="retracting"
    ),
    specified(
        {"kind": "punctuated", "begin": True, "end": True},
        trigger=until(when(0), of_parts("all_of", when(1), after_count(2))),
    ),
    specified(tumbling(10), on="processing", trigger=EACH_ROW, accumulation="discarding"),
    specified(tumbling(10), on="ingestion", lateness=5),
)
MORE = (
    specified(
        {"kind": "cumulative", "step": 5, "size": 15},
        trigger=at_watermark(early=after_count(2)),
        accumulation="discarding",
    ),
    specified(session(None)),
    specified({"kind": "delta", "threshold": 1000.0}),
    specified(
        {"kind": "all_time"}, accumulation="retracting", trigger=of_parts("any_of", every(10), when(1))
    ),
)
"""Those that a batch run has too; in a query that goes on, each operator costs some tenth of a second a batch."""

CASE = Case(
    specs=WINDOWS,
    events=(
        row(0, 1, "a", 1001, 5),
        row(1, 4, "b", 2, 10, begin=True),
        row(0, 4, None, 3, 5, holds=(True, False)),
        Tick(4),
        row(0, 12, "a", 4, 5, begin=True, holds=(True, True)),
        row(1, 12, "a", 1005, 25, holds=(False, True)),
        row(0, 3, "a", 6, 5, end=True),
        Mark(1, 14),
        Tick(15),
        row(0, 19, "a", 2007, 5, begin=True, holds=(True, False)),
        row(0, 19, "a", None, 5, end=True),
        row(0, 21, "b", 9, 10, end=True, holds=(False, True)),
        row(1, 2, "b", 2010, 10, begin=True),
        row(1, 27, "a", 1011, 10),
        Tick(31),
        row(0, 17, "b", 12, 10, holds=(True, True)),
        row(0, 40, None, 13, 5, end=True),
        Drain(),
    ),
    delay=2,
    idle=14,
    partitions=2,
)
