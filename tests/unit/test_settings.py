"""The project: where it begins, and what overrules what."""

from __future__ import annotations

from pathlib import Path

import pytest

from headrace.errors import InvalidOption
from headrace.settings import Project, cache_folder


def test_the_nearest_folder_with_settings_is_the_project(tmp_path: Path) -> None:
    (tmp_path / "headrace.toml").write_text('[kafka]\nservers = "a:1"\n')
    below = tmp_path / "jobs" / "deep"
    below.mkdir(parents=True)
    found = Project.find(below)
    assert found.root == tmp_path
    assert found.state == tmp_path / ".headrace"
    assert found.get("kafka", "servers") == "a:1"
    assert found.get("kafka", "port", 9092) == 9092
    assert found.section("none") == {}


def test_a_state_folder_marks_a_project_too(tmp_path: Path) -> None:
    (tmp_path / ".headrace").mkdir()
    (tmp_path / "jobs").mkdir()
    assert Project.find(tmp_path / "jobs").root == tmp_path


def test_a_folder_without_a_mark_is_its_own_project(tmp_path: Path) -> None:
    assert Project.find(tmp_path) == Project(tmp_path)


def test_the_environment_overrules_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = Project(tmp_path, {"spark": {"master": "local[1]"}})
    assert project.get("spark", "master") == "local[1]"
    monkeypatch.setenv("HEADRACE_SPARK_MASTER", "yarn")
    assert project.get("spark", "master") == "yarn"


def test_settings_that_are_no_toml_are_told_by_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "headrace.toml").write_text("[kafka\n")
    with pytest.raises(InvalidOption) as caught:
        Project.find(tmp_path)
    assert caught.value.message.startswith(f"{tmp_path}/headrace.toml is not valid TOML: ")
    assert "line 1" in caught.value.message


def test_the_cache_is_where_the_user_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADRACE_CACHE", str(tmp_path / "mine"))
    assert cache_folder() == tmp_path / "mine"
    monkeypatch.delenv("HEADRACE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "headrace"
