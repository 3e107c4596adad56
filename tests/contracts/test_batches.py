"""The kernel against the model: a case in one batch, in batches cut anyhow, one row a batch, and restarted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from contracts.agreement import difference, of_kernel, of_model
from contracts.cases import Case
from contracts.cuts import Batch, at, cut, everywhere, in_order, placed, whole
from contracts.rehearsal import AGGREGATES, Rehearsals
from contracts.strategies import KINDS, cases
from contracts.thoroughness import thorough

CLOCKS = ("event", "event", "event", "processing", "ingestion")


@pytest.fixture(scope="module")
def rehearsals(spark: SparkSession) -> Rehearsals:
    return Rehearsals(spark)


def agree(
    rehearsals: Rehearsals, case: Case, batches: list[Batch], *, kafka: bool, aggregates: str, shards: int
) -> None:
    """The kernel says of these batches what the model says of their events."""
    spec = case.specs[0]
    sources = placed(batches, kafka=kafka)
    told = rehearsals.play(case, spec, batches, sources, aggregates=aggregates, shards=shards)
    expected = case.expected(spec, in_order(batches, sources))
    wrong = difference(of_kernel(case, spec, told, aggregates), of_model(case, spec, expected, aggregates))
    assert wrong is None, f"{wrong}\n{case!r}\n{batches}"


@pytest.mark.parametrize("kind", KINDS)
def test_any_cut(rehearsals: Rehearsals, kind: str) -> None:
    @thorough(40)
    @given(
        cases((kind,), on=CLOCKS, partitions=(1, 1, 2, 3), idle=(None, 30, 5)),
        st.sets(st.integers(1, 40), max_size=6),
        st.sets(st.integers(1, 40), max_size=3),
        st.booleans(),
        st.sampled_from(tuple(AGGREGATES)),
        st.sampled_from((1, 2, 3)),
    )
    def run(case: Case, cuts: set[int], restarts: set[int], kafka: bool, aggregates: str, shards: int) -> None:
        for batches in (
            cut(case, whole, whole),
            cut(case, at(cuts), at(restarts)),
            cut(case, everywhere, whole),
            cut(case, everywhere, everywhere),
        ):
            agree(rehearsals, case, batches, kafka=kafka, aggregates=aggregates, shards=shards)

    run()
