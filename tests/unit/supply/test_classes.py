"""The archive of classes: who writes it, who uses it, and what is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from headrace.supply.classes import archive_of, sharing
from headrace.supply.java import Java


@pytest.fixture
def java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Java:
    monkeypatch.setenv("HEADRACE_CACHE", str(tmp_path / "cache"))
    base = tmp_path / "java" / "lib" / "server"
    base.mkdir(parents=True)
    (base / "classes.jsa").touch()
    home = tmp_path / "java"
    return Java(home=home, executable=home / "bin" / "java", version="17.0.1", major=17, vector=True)


def test_a_first_run_writes_it_and_later_ones_use_it(java: Java) -> None:
    archive = archive_of(java, "spark", ["4.3.0"])
    assert f'"-XX:ArchiveClassesAtExit={archive}.' in sharing(java, archive)
    archive.with_name(f"{archive.name}.12").write_bytes(b"\xa8\xba\x0b\xf0 and classes")
    assert sharing(java, archive).startswith(f'"-XX:SharedArchiveFile={archive}" -Xshare:auto')
    assert archive.is_file()


def test_one_that_is_still_being_written_is_left_alone(java: Java) -> None:
    archive = archive_of(java, "spark", ["4.3.0"])
    archive.parent.mkdir(parents=True)
    archive.with_name(f"{archive.name}.12").write_bytes(b"\0\0\0\0 and classes")
    assert "ArchiveClassesAtExit" in sharing(java, archive)
    assert not archive.exists()


def test_a_java_without_an_archive_of_its_own_cannot_have_one(java: Java) -> None:
    (java.home / "lib" / "server" / "classes.jsa").unlink()
    assert sharing(java, archive_of(java, "spark", ["4.3.0"])) == ""


def test_other_jars_have_another_archive(java: Java) -> None:
    assert archive_of(java, "spark", ["4.3.0"]) != archive_of(java, "spark", ["4.3.1"])
