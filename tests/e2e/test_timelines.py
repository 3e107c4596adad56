"""The pictures and tables of the docs are what the programs on their pages give."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest
from timelines.everything import files

ROOT = Path(__file__).parents[2]


@pytest.mark.usefixtures("spark")
@pytest.mark.timeout(900)
def test_pictures_and_tables_are_those_of_a_run(tmp_path: Path) -> None:
    made = files(tmp_path)
    stale = [str(path.relative_to(ROOT)) for path, text in made.items() if path.read_text("utf-8") != text]
    assert made
    assert not stale, f"make timelines writes {', '.join(stale)} anew"


@pytest.mark.parametrize("name", ["drawing", "pages", "stories", "words"])
def test_examples_are_true(name: str) -> None:
    found = doctest.testmod(import_module(f"timelines.{name}"))
    assert found.attempted
    assert not found.failed
