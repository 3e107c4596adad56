from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from headrace.broker import health, process
from headrace.broker.address import bootstrap_servers
from headrace.broker.record import Places, Record, read, write
from headrace.broker.server import Broker
from headrace.errors import BrokerDown
from headrace.settings import Project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.delenv("HEADRACE_KAFKA_SERVERS", raising=False)
    Places.of(Project(tmp_path)).folder.mkdir(parents=True)
    return Project(tmp_path)


def test_the_project_names_its_servers(tmp_path: Path) -> None:
    assert bootstrap_servers(Project(tmp_path, {"kafka": {"servers": "a:9092"}})) == "a:9092"
    assert bootstrap_servers(Project(tmp_path, {"kafka": {"servers": ["a:1", "b:2"]}})) == "a:1,b:2"


def test_the_environment_comes_first(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADRACE_KAFKA_SERVERS", "c:3")
    assert bootstrap_servers(project) == "c:3"


def test_a_broker_that_is_down(project: Project) -> None:
    with pytest.raises(BrokerDown) as error:
        bootstrap_servers(project)
    assert str(error.value) == (
        f"no broker is up for {project.root}\n"
        "  hint: start one with `headrace up`, or set [kafka] servers in headrace.toml"
    )


def test_a_process_number_that_another_program_has_now(project: Project) -> None:
    places = Places.of(project)
    write(places, Record(os.getpid(), 9092, "abc"))
    assert not process.is_ours(os.getpid(), places.properties)
    status = Broker(project).status()
    assert (status.up, status.pid, status.port) == (False, None, 9092)
    with pytest.raises(BrokerDown):
        bootstrap_servers(project)


def test_a_record_that_cannot_be_read_is_none(project: Project) -> None:
    places = Places.of(project)
    write(places, Record(1, 9092, "abc", "data"))
    assert read(places) == Record(1, 9092, "abc", "data")
    places.record.write_text("{")
    assert read(places) is None


@pytest.mark.parametrize(
    ("servers", "places"),
    [
        ("a:9092", [("a", 9092)]),
        ("a:1, b:2", [("a", 1), ("b", 2)]),
        ("PLAINTEXT://[::1]:9093", [("::1", 9093)]),
        ("host", [("host", 9092)]),
    ],
)
def test_addresses(servers: str, places: list[tuple[str, int]]) -> None:
    assert health.addresses(servers) == places


def test_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert health.answers(f"127.0.0.1:1,127.0.0.1:{port}")
        assert health.wait_until_answers(f"127.0.0.1:{port}", 1.0)
    assert not health.answers(f"127.0.0.1:{port}")
    assert not health.wait_until_answers(f"127.0.0.1:{port}", 0.0)


def test_nothing_answers() -> None:
    with pytest.raises(BrokerDown) as error:
        health.require_answer("127.0.0.1:1")
    assert str(error.value) == (
        "no Kafka answers at 127.0.0.1:1\n  hint: start this project's broker with `headrace up`, "
        "or set [kafka] servers in headrace.toml to one that runs"
    )
