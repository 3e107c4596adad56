"""Spark's reports of its batches, added up to a picture."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from headrace.runtime.gauge import Gauge
from headrace.runtime.progress import State


def report(batch: int, rows: int, **more: Any) -> dict[str, Any]:
    made = {
        "timestamp": f"2026-01-01T00:00:{batch:02}.000Z", "batchId": batch, "numInputRows": rows,
        "durationMs": {"addBatch": 5, "triggerExecution": 9},
    }  # fmt: skip
    return {**made, **more}


def test_nothing_heard_yet() -> None:
    picture = Gauge("q").picture(0.0)
    assert (picture.state, picture.batch, picture.rows_in, picture.rows_out) == (
        State.STARTING,
        None,
        0,
        None,
    )
    assert (picture.watermark, picture.lag, picture.state_rows, picture.rejected) == (None, None, None, None)


def test_rows_add_up() -> None:
    gauge = Gauge("q")
    gauge.take(report(0, 10))
    gauge.take(report(1, 5))
    picture = gauge.picture(0.0)
    assert (picture.batch, picture.batch_ms, picture.rows_in) == (1, 9, 15)
    assert gauge.seen == "2026-01-01T00:00:01.000Z"


def test_what_the_querys_own_counters_stand_at() -> None:
    gauge = Gauge("q")
    gauge.count({"out:a": 4, "out:b": 2, "rejected:rows": 3})
    picture = gauge.picture(0.0)
    assert (picture.rows_out, picture.rejected) == (6, 3)
    gauge.count({"out:a": 5})
    picture = gauge.picture(0.0)
    assert (picture.rows_out, picture.rejected) == (5, None)


def test_a_report_without_a_batch_leaves_the_last_batch() -> None:
    gauge = Gauge("q")
    gauge.take(report(3, 10, stateOperators=[{"numRowsTotal": 2}, {"numRowsTotal": 5}]))
    gauge.take(
        report(4, 0, durationMs={"triggerExecution": 1}, eventTime={"watermark": "2026-01-01T00:00:00.000Z"})
    )
    picture = gauge.picture(0.0)
    assert (picture.batch, picture.state_rows) == (3, 7)
    assert picture.watermark == datetime(2026, 1, 1, tzinfo=UTC)


def test_a_watermark_that_has_not_begun_is_none() -> None:
    gauge = Gauge("q")
    gauge.take(report(0, 1, eventTime={"watermark": "1970-01-01T00:00:00.000Z"}))
    assert gauge.picture(0.0).watermark is None


def test_lag_is_what_lies_between_the_ends() -> None:
    gauge = Gauge("q")
    gauge.take(report(0, 1, sources=[
        {"latestOffset": {"t": {"0": 10, "1": 7}}, "endOffset": {"t": {"0": 4, "1": 7}}},
        {"metrics": {"totalOffsetsBehindLatest": "5"}},
        {"latestOffset": 3, "endOffset": 2},
    ]))  # fmt: skip
    assert gauge.picture(0.0).lag == 11


def test_rates_are_of_the_last_seconds() -> None:
    gauge = Gauge("q")
    assert gauge.picture(0.0).rows_in_per_second == 0.0
    gauge.take(report(0, 100))
    gauge.count({"out:m": 50})
    assert gauge.picture(1.0).rows_in_per_second == 100.0
    assert gauge.picture(2.0).rows_out_per_second == 25.0
    for second in range(3, 9):
        quiet = gauge.picture(float(second))
    assert quiet.rows_in_per_second == 0.0


def test_late_rows_that_spark_dropped_are_counted() -> None:
    gauge = Gauge("q")
    gauge.take(report(0, 1, stateOperators=[{"numRowsTotal": 1, "numRowsDroppedByWatermark": 2}]))
    gauge.take(report(1, 1, stateOperators=[{"numRowsTotal": 1, "numRowsDroppedByWatermark": 1}]))
    assert gauge.picture(0.0).late == 3


def test_what_windows_dropped_is_added_up_over_batches() -> None:
    gauge = Gauge("counts")
    for number in (1, 2):
        operator = {"numRowsTotal": 3, "numRowsDroppedByWatermark": number}
        gauge.take(
            {"timestamp": f"2026-01-01T12:00:0{number}Z", "numInputRows": 1, "stateOperators": [operator]}
        )
    assert gauge.picture(0.0).late == 3


def test_the_kernels_operators_count_beside_sparks() -> None:
    gauge = Gauge("q")
    gauge.kept([{"keys": 3, "late": 2, "watermark": 60_000_000}, {"keys": 1, "late": 0, "watermark": 5}])
    picture = gauge.picture(0.0)
    assert (picture.state_rows, picture.late) == (4, 2)
    assert picture.watermark == datetime(1970, 1, 1, 0, 1, tzinfo=UTC), (
        "that of the first, which the others follow"
    )
