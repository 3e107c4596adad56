from __future__ import annotations

from pathlib import Path

import pytest

from headrace.broker.properties import (
    cluster_id_of,
    escaped,
    kafka_version,
    new_cluster_id,
    require_data_folder,
    server_properties,
)
from headrace.errors import InvalidOption


def told(data: Path) -> dict[str, str]:
    lines = server_properties(9092, 9093, data).splitlines()
    return dict(line.split("=", 1) for line in lines)


def test_loopback_only(tmp_path: Path) -> None:
    settings = told(tmp_path)
    assert settings["listeners"] == "PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093"
    assert settings["advertised.listeners"] == "PLAINTEXT://127.0.0.1:9092"
    assert settings["log.dirs"] == str(tmp_path)


def test_old_events_stay_unless_a_topic_says_otherwise(tmp_path: Path) -> None:
    assert told(tmp_path)["log.retention.ms"] == "-1"


def test_a_kill_shortens_the_session_of_the_next_run_alone(tmp_path: Path) -> None:
    assert "broker.session.timeout.ms" not in told(tmp_path)
    (tmp_path / "meta.properties").write_text("cluster.id=abc\n")
    assert told(tmp_path)["broker.session.timeout.ms"] == "2000"
    (tmp_path / ".kafka_cleanshutdown").touch()
    assert "broker.session.timeout.ms" not in told(tmp_path)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("/tmp/a b", "/tmp/a b"),
        ("/größe", "/gr\\u00f6\\u00dfe"),
        ("a\\b", "a\\\\b"),
        ("😀", "\\ud83d\\ude00"),
    ],
)
def test_escaped(value: str, written: str) -> None:
    assert escaped(value) == written


def test_a_comma_in_the_data_folder() -> None:
    with pytest.raises(InvalidOption) as error:
        require_data_folder(Path("/tmp/a,b"))
    assert str(error.value).startswith(
        "the broker cannot keep its data in /tmp/a,b: Kafka takes the comma for the end of the path\n"
    )
    assert error.value.hint == "give a folder without a comma: headrace up --data FOLDER"


def test_cluster_id(tmp_path: Path) -> None:
    assert cluster_id_of(tmp_path) is None
    (tmp_path / "meta.properties").write_text("version=1\ncluster.id=abc\nnode.id=1\n")
    assert cluster_id_of(tmp_path) == "abc"
    name = new_cluster_id()
    assert (len(name), name.startswith("-")) == (22, False)


def test_the_pinned_version() -> None:
    assert kafka_version() == "4.2.0"
