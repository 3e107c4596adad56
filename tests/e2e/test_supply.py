"""The true Ivy, and the self-test of this machine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from headrace.errors import NoNetwork
from headrace.supply import jars as module
from headrace.supply.jars import jars, locked

FETCH = "from headrace.supply.jars import jars; print(len(jars('spark')))"


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    """Ivy settings that find the jars in the cache that this machine has."""
    folder = jars("spark")[0].parent
    settings = tmp_path / "mirror.xml"
    settings.write_text(
        f'<ivysettings><settings defaultResolver="here"/><resolvers><filesystem name="here">'
        f'<artifact pattern="{folder}/[artifact]-[revision].[ext]"/></filesystem></resolvers></ivysettings>'
    )
    return settings


def test_two_processes_fetch_once(mirror: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADRACE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HEADRACE_IVY_SETTINGS", str(mirror))
    both = [
        subprocess.Popen([sys.executable, "-c", FETCH], stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    assert [(one.communicate()[0], one.returncode) for one in both] == [("4\n", 0)] * 2
    (folder,) = (tmp_path / "cache" / "jars").glob("spark-*")
    assert {file.name for file in folder.iterdir()} == {*locked("spark"), "stamp.json"}


def test_no_network_then_offline_for_ever(
    mirror: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADRACE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=9")
    with pytest.raises(NoNetwork, match=r"^the jars for Kafka in Spark are fetched once, and no registry"):
        jars("spark")
    monkeypatch.setenv("HEADRACE_IVY_SETTINGS", str(mirror))
    assert len(jars("spark")) == 4
    monkeypatch.setattr(module, "_run_ivy", None)
    assert len(jars("spark")) == 4


def test_doctor(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "headrace.cli", "doctor", "--json", "--project", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    findings = {finding["check"]: finding for finding in json.loads(done.stdout)}
    assert {findings[check]["verdict"] for check in ("java", "pyspark", "spark jars", "versions")} == {"ok"}
    assert done.returncode == (4 if "fail" in {finding["verdict"] for finding in findings.values()} else 0)
