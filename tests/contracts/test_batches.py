"""The kernel against the model: a case in one batch, in batches cut anyhow, one row a batch, and restarted."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from contracts.agreement import difference, late_of, of_kernel, of_model, panes_of
from contracts.cases import Case
from contracts.cuts import Batch, at, cut, everywhere, in_order, placed, whole
from contracts.rehearsal import AGGREGATES, Rehearsals
from contracts.strategies import ACCUMULATIONS, KINDS, cases
from contracts.thoroughness import thorough
from reference.folding import Table, folded

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
    @thorough(100)
    @given(
        cases(
            (kind,), on=CLOCKS, partitions=(1, 1, 2, 3), idle=(None, 30, 5), ttl=(None, 12, 40), nulls=True
        ),
        st.sets(st.integers(1, 40), max_size=6),
        st.sets(st.integers(1, 40), max_size=3),
        st.booleans(),
        st.sampled_from(tuple(AGGREGATES)),
        st.sampled_from((1, 2, 3)),
    )
    def run(
        case: Case, cuts: set[int], restarts: set[int], kafka: bool, aggregates: str, shards: int
    ) -> None:
        for batches in (
            cut(case, whole, whole),
            cut(case, at(cuts), at(restarts)),
            cut(case, everywhere, everywhere),
        ):
            agree(rehearsals, case, batches, kafka=kafka, aggregates=aggregates, shards=shards)

    run()


def told(rehearsals: Rehearsals, case: Case, batches: list[Batch], *, shards: int) -> tuple[Table, Any]:
    """The final table and the late rows, of source partitions that come in pieces as Kafka's do."""
    spec = case.specs[0]
    sources = placed(batches, kafka=True)
    found = rehearsals.play(case, spec, batches, sources, shards=shards)
    table = folded(panes_of(found), spec["accumulation"])
    return table, late_of(case, found)


IN_ANY_ORDER = dict.fromkeys(("tumbling", "sliding", "cumulative"), ACCUMULATIONS)
IN_ANY_ORDER |= {"trailing": ("accumulating", "retracting")}
"""Windows whose table does not depend on how source partitions interleave. Of trailing windows several can be
of one key and time, so that what they discard cannot be told apart."""


@pytest.mark.parametrize("kind", IN_ANY_ORDER)
def test_the_table_and_the_late_rows_are_the_same_however_cut(rehearsals: Rehearsals, kind: str) -> None:
    @thorough(25)
    @given(
        cases((kind,), partitions=(2, 3)),
        st.sets(st.integers(1, 40), max_size=6),
        st.sampled_from((1, 2)),
    )
    def run(case: Case, cuts: set[int], shards: int) -> None:
        assume(case.specs[0]["accumulation"] in IN_ANY_ORDER[kind])
        same_however_cut(rehearsals, case, cuts, shards)

    run()


@pytest.mark.parametrize("kind", ["session", "gaps"])
def test_sessions_are_the_same_however_cut_if_no_row_is_behind_its_watermark(
    rehearsals: Rehearsals, kind: str
) -> None:
    @thorough(25)
    @given(
        cases((kind,), partitions=(2, 3), marks=False, delay=(25,)),
        st.sets(st.integers(1, 40), max_size=6),
        st.sampled_from((1, 2)),
    )
    def run(case: Case, cuts: set[int], shards: int) -> None:
        same_however_cut(rehearsals, case, cuts, shards)

    run()


def same_however_cut(rehearsals: Rehearsals, case: Case, cuts: set[int], shards: int) -> None:
    said = case.expected(case.specs[0])
    numbers = {id(event): number for number, event in enumerate(case.events)}
    late = Counter((numbers[id(one.row)], one.window, one.mark) for one in said.late)
    expected = (folded(said.panes, case.specs[0]["accumulation"]), late)
    for batches in (cut(case, whole, whole), cut(case, at(cuts), at(cuts)), cut(case, everywhere, whole)):
        found = told(rehearsals, case, batches, shards=shards)
        assert found == expected, f"{case!r}\n{batches}"
