from __future__ import annotations

import socket
from pathlib import Path

import pytest

from headrace.errors import DiskFull, NoJava, PortTaken
from headrace.supply import disk, selftest
from headrace.supply.selftest import Finding, kafka_source_version, require_fit, self_test, versions


@pytest.fixture(autouse=True)
def fit_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine on which nothing is wrong."""
    monkeypatch.setenv("HEADRACE_CACHE", str(tmp_path))
    monkeypatch.setattr(selftest, "jars", lambda name: [tmp_path / "a.jar"])
    monkeypatch.setattr(selftest, "kernel_jar", lambda: tmp_path / "kernel.jar")


def found(findings: list[Finding], check: str) -> Finding:
    return next(finding for finding in findings if finding.check == check)


def test_a_fit_machine(tmp_path: Path) -> None:
    findings = self_test(folder=tmp_path)
    assert {finding.verdict for finding in findings} == {"ok"}
    assert [finding.check for finding in findings] == [
        "java",
        "pyspark",
        "disk",
        "project disk",
        "spark jars",
        "broker jars",
        "kernel",
        "versions",
    ]
    require_fit(folder=tmp_path)


def test_without_java_the_jars_are_not_tried(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def none() -> None:
        raise NoJava("no Java was found", hint="install one")

    monkeypatch.setattr(selftest, "find_java", none)
    findings = self_test(folder=tmp_path)
    java = found(findings, "java")
    assert (java.verdict, java.message, java.fix) == ("fail", "no Java was found", "install one")
    assert java.as_dict()["error"] == "NoJava"
    assert "spark jars" not in [finding.check for finding in findings]
    with pytest.raises(NoJava):
        require_fit(folder=tmp_path)


def test_a_full_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(disk, "free_bytes", lambda folder: 150_000_000)
    finding = found(self_test(folder=tmp_path), "disk")
    assert (finding.verdict, finding.message, finding.fix) == (
        "fail",
        f"only 150 MB are free on the disk of {tmp_path}; 200 are needed",
        "free some room on that disk, or choose a folder on another",
    )
    assert isinstance(finding.error, DiskFull)


def test_room_is_asked_of_the_nearest_folder_that_is_there(tmp_path: Path) -> None:
    assert disk.free_bytes(tmp_path / "not" / "yet") > 0


def test_a_taken_port(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        finding = found(self_test(broker_port=port, folder=tmp_path), "port")
    assert (finding.verdict, finding.message, finding.fix) == (
        "fail",
        f"port {port} is taken by another program",
        "stop that program, or give the broker another port: headrace up --port N",
    )
    assert isinstance(finding.error, PortTaken)


def test_untried_versions_are_named() -> None:
    assert versions("4.3.0", kafka_source_version()).verdict == "ok"
    finding = versions("4.4.0", "4.2.0")
    assert (finding.verdict, finding.message, finding.fix) == (
        "warn",
        "Kafka source 4.2.0 with PySpark 4.4.0 is untried; 4.2.0 with 4.3.0 works",
        "pip install 'pyspark[sql]==4.3.0'",
    )


def test_an_unreadable_place_is_a_finding_too() -> None:
    def denied() -> str:
        raise PermissionError(13, "Permission denied")

    finding = selftest._check("disk", denied)
    assert (finding.verdict, finding.message) == ("fail", "disk: [Errno 13] Permission denied")
