"""Cases in which the kernel once told something else than the model, kept as they were found, or as a story."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from contracts.agreement import difference, of_kernel, of_model
from contracts.cases import Case
from contracts.cuts import cut, everywhere, in_order, placed, whole
from contracts.rehearsal import Rehearsals
from reference.records import Drain, Mark, Row, Tick
from reference.telling import EACH_ROW, specified, tumbling

COUNT = {"kind": "count", "n": 2, "every": 2}
FOUND = {
    "what a row window takes back has the bounds that it had": Case(
        (specified(COUNT, trigger=EACH_ROW, accumulation="retracting"),),
        (Row(0, 5, "a", 1), Row(0, 10, "a", 2), Row(0, 15, "a", 3), Drain()),
    ),
    "where all were idle, the one that speaks moves the watermark": Case(
        (specified(tumbling(10)),),
        (
            Row(0, 5, "a", 1),
            Mark(0, 15),
            Tick(5),
            Row(0, 5, "a", 2),
            Row(1, 5, "a", 3),
            Drain(),
        ),
        idle=5,
        partitions=2,
    ),
    "partitions of a batch wake together": Case(
        (specified({"kind": "punctuated", "begin": True, "end": False}),),
        (Row(1, 5, "a", 1), Tick(5), Tick(35), Mark(1, 5), Row(0, 10, "a", 2), Drain()),
        idle=30,
        partitions=2,
    ),
    "a trailing window holds no row that came too late for it": Case(
        (specified({"kind": "trailing", "size": 10}),),
        (Row(0, 30, "a", 1), Row(0, 8, "a", 2), Row(1, 9, "a", 3), Drain()),
        partitions=2,
    ),
    "a key is freed when its ttl is over, and begins anew": Case(
        (specified(COUNT),),
        (Row(0, 5, "a", 1), Row(0, 17, "b", 2), Row(0, 18, "a", 3), Row(0, 40, "a", 4), Drain()),
        ttl=12,
    ),
}


@pytest.mark.parametrize("restarts", [whole, everywhere], ids=["in one batch", "restarted at each event"])
@pytest.mark.parametrize("case", FOUND.values(), ids=FOUND)
def test_found(spark: SparkSession, case: Case, restarts: object) -> None:
    batches = cut(case, restarts, restarts)  # type: ignore[arg-type]
    sources = placed(batches, kafka=True)
    told = Rehearsals(spark).play(case, case.specs[0], batches, sources)
    expected = case.expected(case.specs[0], in_order(batches, sources))
    kernel = of_kernel(case, case.specs[0], told, "listed")
    assert difference(kernel, of_model(case, case.specs[0], expected, "listed")) is None


def test_the_story_of_a_ttl() -> None:
    """The watermark reaches 17, and frees `a`, whose count begins anew; it reaches 40, and frees `b`."""
    case = FOUND["a key is freed when its ttl is over, and begins anew"]
    panes = case.expected(case.specs[0]).panes
    assert [(pane.key, pane.values) for pane in panes] == [("a", (1,)), ("a", (3, 4)), ("b", (2,))]
