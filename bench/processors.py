"""Processors by hand for PySpark's `transformWithStateInPandas`: what a user would write in Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from bench.works import Work


class Counted(StatefulProcessor):
    """Windows of so many rows of a key."""

    def __init__(self, work: dict[str, Any]) -> None:
        self.many = work["n"]

    def init(self, handle: Any) -> None:
        self.state = handle.getValueState("window", "n long, total double")

    def handleInputRows(self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any) -> Iterator[Any]:  # noqa: ARG002, N802, N803
        n, total = self.state.get() if self.state.exists() else (0, 0.0)
        told = []
        for frame in rows:
            for value in frame["value"].tolist():
                n, total = n + 1, total + value
                if n == self.many:
                    told.append((key[0], 0, n, total))
                    n, total = 0, 0.0
        self.state.update((n, total))
        yield pd.DataFrame(told, columns=["key", "ends", "n", "total"])

    def close(self) -> None:
        pass


class Tumbled(StatefulProcessor):
    """Tumbling windows of a key, each with a timer at its end."""

    def __init__(self, work: dict[str, Any]) -> None:
        self.size = work["size"] // 1000

    def init(self, handle: Any) -> None:
        self.handle = handle
        self.windows = handle.getMapState("windows", "ends long", "n long, total double")

    def handleInputRows(self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any) -> Iterator[Any]:  # noqa: ARG002, N802, N803
        for frame in rows:
            millis = frame["ts"].astype("int64") // (
                1_000_000 if frame["ts"].dtype == "datetime64[ns]" else 1000
            )
            per = frame["value"].groupby(millis // self.size * self.size + self.size).agg(["count", "sum"])
            for ends, n, total in per.itertuples():
                before = self.windows.getValue((ends,)) if self.windows.containsKey((ends,)) else None
                if before is None:
                    self.handle.registerTimer(ends)
                    before = (0, 0.0)
                self.windows.updateValue((ends,), (int(before[0] + n), float(before[1] + total)))
        yield pd.DataFrame([], columns=["key", "ends", "n", "total"])

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Any]:  # noqa: ARG002, N802, N803
        ends = expiredTimerInfo.getExpiryTimeInMs()
        n, total = self.windows.getValue((ends,))
        self.windows.removeKey((ends,))
        yield pd.DataFrame([(key[0], ends, n, total)], columns=["key", "ends", "n", "total"])

    def close(self) -> None:
        pass


PROCESSORS = {"count": Counted, "aligned": Tumbled}


def processor(work: Work) -> StatefulProcessor:
    return PROCESSORS[work.kind](work.spec())
