"""Whose file a file is."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from headrace import origin
from headrace.origin import Origin, here, is_users, raised_at, short


def test_the_users_files_are_neither_ours_nor_pythons_nor_a_librarys() -> None:
    assert is_users(__file__)
    assert is_users("/srv/job.py")
    assert not is_users(origin.__file__)
    assert not is_users(json.__file__)
    assert not is_users(pd.__file__)
    assert not is_users("<frozen runpy>")
    assert not is_users("/x/pyspark.zip/pyspark/worker.py")


def test_an_error_was_raised_at_the_last_line_of_the_users() -> None:
    with pytest.raises(json.JSONDecodeError) as caught:
        json.loads("{")
    at = raised_at(caught.value)
    assert at is not None and at.file == __file__ and at.code == 'json.loads("{")'


def test_an_error_that_came_through_no_line_of_the_users() -> None:
    assert raised_at(ValueError("never raised")) is None


def test_here_is_the_callers_line() -> None:
    found = here()
    assert found is not None and found.code == "found = here()"


def test_a_file_below_here_is_shown_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert short(str(tmp_path / "a" / "job.py")) == "a/job.py"
    assert short("/elsewhere/job.py") == "/elsewhere/job.py"
    assert str(Origin(str(tmp_path / "job.py"), 3)) == "job.py:3"
