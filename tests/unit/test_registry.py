"""Things found by name: those of our rooms, and those of packages that offer some."""

from __future__ import annotations

import doctest
from importlib import import_module
from importlib.metadata import EntryPoint

import pytest

import headrace as hr
from headrace import registry
from headrace.errors import InvalidOption
from headrace.registry import CONNECTORS, EVERY, SERDES, TRIGGERS, WINDOWS


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.kind)
def test_each_module_of_a_room_offers_what_it_is_called_by(kind: registry.Registry) -> None:
    assert kind.names()
    for name in kind:
        assert callable(kind.get(name))
        assert name in hr.__all__


def test_the_rooms_hold_what_the_docs_say() -> None:
    assert {"kafka", "files", "socket", "rate", "dataframe", "memory", "console", "foreach_batch"} <= set(
        CONNECTORS
    )
    assert {"tumbling", "sliding", "session", "cumulative", "trailing"} <= set(WINDOWS)
    assert {"count", "delta", "punctuated", "all_time"} <= set(WINDOWS)
    assert {"at_watermark", "each_row", "after_count", "after_delay", "every", "when"} <= set(TRIGGERS)
    assert {"any_of", "all_of", "in_order", "repeat", "never"} <= set(TRIGGERS)
    assert {"text", "csv", "json", "raw"} <= set(SERDES)


def test_no_name_is_in_two_rooms() -> None:
    names = [name for kind in EVERY for name in kind]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.kind)
def test_the_examples_of_each_module_are_true(kind: registry.Registry) -> None:
    for name in kind:
        found = doctest.testmod(import_module(f"{kind.room}.{name}"))
        assert not found.failed
        assert found.attempted or kind not in (WINDOWS, TRIGGERS)


def test_a_name_that_is_not_there_gets_a_suggestion() -> None:
    with pytest.raises(InvalidOption) as caught:
        SERDES.get("jsn")
    assert caught.value.message == "no format 'jsn'"
    assert str(caught.value.hint).startswith("did you mean 'json'? (the formats are: ")


def test_a_package_may_offer_more(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("pulsar", "math:sqrt", "headrace.connectors")
    monkeypatch.setattr(registry, "entry_points", lambda group: [entry] if group == entry.group else [])
    assert "pulsar" in CONNECTORS and "pulsar" in CONNECTORS.names()
    assert CONNECTORS.get("pulsar")(9) == 3
    assert hr.pulsar(4) == 2  # type: ignore[attr-defined]
