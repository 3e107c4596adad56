"""The commands, as a person or a script runs them, on the real broker."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from headrace import errors
from headrace.broker.admin import create_topic
from headrace.broker.records import Outgoing, consume, produce
from headrace.cli.main import main
from headrace.settings import Project

COMMAND = [sys.executable, "-m", "headrace.cli"]
ROOT = Path(errors.__file__).parents[1]


@pytest.fixture(autouse=True)
def in_project(broker: str, broker_project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.chdir(broker_project.root)


def headrace(*arguments: str, code: int = 0, stdin: str = "") -> subprocess.CompletedProcess[str]:
    done = subprocess.run([*COMMAND, *arguments], input=stdin, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    assert main([*arguments, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_a_topic_from_its_making_to_its_end(broker: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert as_json(
        capsys, "topic", "create", "cli", "--partitions", "2", "--config", "cleanup.policy=compact"
    ) == {
        "topic": "cli",
        "created": True,
    }
    assert as_json(capsys, "topic", "create", "cli", "--if-missing")["created"] is False
    assert {"name": "cli", "partitions": 2, "replicas": 1, "records": 0} in as_json(capsys, "topic", "list")
    described = as_json(capsys, "topic", "describe", "cli")
    assert described["config"] == {"cleanup.policy": "compact"}
    assert described["size"] == 0
    assert main(["topic", "describe", "cli"]) == 0
    assert "PARTITION  LEADER  EARLIEST  LATEST  RECORDS" in capsys.readouterr().out
    assert as_json(capsys, "topic", "delete", "cli") == {"deleted": ["cli"]}
    assert main(["topic", "list"]) == 0
    assert "cli" not in capsys.readouterr().out.split()
    assert main(["topic", "create", "cli", "--config", "oops"]) == 2
    assert as_json(capsys, "topic", "delete", "cli", code=4)["error"] == "MissingTopic"


def test_lines_go_in_and_come_out(broker: str) -> None:
    create_topic(broker, "lines")
    assert headrace("produce", "lines", stdin="a\nb\n").stdout == "2 records delivered to 'lines'\n"
    headrace("produce", "lines", "--key-separator", "=", stdin="k=v\n")
    told = headrace("produce", "lines", "--json", "--key", "id", stdin='{"id": 1}\nnope\n', code=1)
    assert json.loads(told.stdout)["delivered"] == 1
    assert json.loads(told.stdout)["refused"][0].startswith("line 2: ")
    shown = [line.split("  ") for line in headrace("consume", "lines").stdout.splitlines()]
    assert [(place, key, value) for place, _, key, value in shown] == [
        ("0:0", "-", "a"),
        ("0:1", "-", "b"),
        ("0:2", "k", "v"),
        ("0:3", "1", '{"id": 1}'),
    ]
    last = json.loads(headrace("consume", "lines", "--from", "3", "--json").stdout)
    assert (last["offset"], last["key"], last["value"]) == (3, "1", {"id": 1})
    assert headrace("consume", "lines", "--from", "2999-01-01").stdout == ""


def test_a_file_goes_in(broker: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    create_topic(broker, "from-file")
    file = tmp_path / "rows.txt"
    file.write_text("1\n2\n3\n")
    assert main(["produce", "from-file", "--file", str(file)]) == 0
    assert [record.value for record in consume(broker, "from-file")] == [b"1", b"2", b"3"]
    assert main(["produce", "from-file", "--file", "nowhere.txt"]) == 4
    assert "error: no file nowhere.txt" in capsys.readouterr().err


def test_ctrl_c_ends_following_cleanly(broker: str) -> None:
    create_topic(broker, "followed")
    produce(broker, "followed", [Outgoing(b"first")])
    with subprocess.Popen(
        [*COMMAND, "consume", "followed", "--follow"], stdout=subprocess.PIPE, text=True
    ) as follower:
        assert follower.stdout is not None
        assert follower.stdout.readline().endswith("first\n")
        produce(broker, "followed", [Outgoing(b"second")])
        assert follower.stdout.readline().endswith("second\n")
        follower.send_signal(signal.SIGINT)
        assert follower.wait(10) == 0


def test_a_reader_that_has_enough_is_no_error(broker: str) -> None:
    create_topic(broker, "piped")
    produce(broker, "piped", [Outgoing(b"x" * 1000) for _ in range(2000)])
    with subprocess.Popen(
        [*COMMAND, "consume", "piped"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as reader:
        assert reader.stdout is not None
        assert reader.stderr is not None
        reader.stdout.readline()
        reader.stdout.close()
        assert reader.wait(10) == 0
        assert reader.stderr.read() == b""


def test_groups(broker: str, capsys: pytest.CaptureFixture[str]) -> None:
    create_topic(broker, "grouped")
    produce(broker, "grouped", [Outgoing(b"x")] * 3)
    assert main(["consume", "grouped", "--group", "cli-group"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3
    assert {"name": "cli-group", "state": "empty", "members": 0} in as_json(capsys, "group", "list")
    (moved,) = as_json(capsys, "group", "reset", "cli-group", "--to", "1")
    assert (moved["offset"], moved["lag"]) == (1, 2)
    assert as_json(capsys, "group", "describe", "cli-group")["lag"] == 2
    assert main(["group", "describe", "cli-group"]) == 0
    assert capsys.readouterr().out.startswith("group 'cli-group': empty, 0 members, 2 records behind\n")
    assert as_json(capsys, "group", "describe", "nobody", code=4)["error"] == "SetupError"


def test_status_and_up(broker: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert as_json(capsys, "status")["servers"] == broker
    assert as_json(capsys, "up")["answers"] is True
    assert main(["status"]) == 0
    assert f"is up at {broker}" in capsys.readouterr().out


def test_no_broker(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["topic", "list", "--project", str(tmp_path)]) == 4
    assert capsys.readouterr().err == (
        f"error: no broker is up for {tmp_path}\n"
        "  hint: start one with `headrace up`, or set [kafka] servers in headrace.toml\n"
    )
    assert as_json(capsys, "topic", "list", "--servers", "127.0.0.1:1", code=4)["error"] == "BrokerDown"
    assert as_json(capsys, "down", "--project", str(tmp_path)) == {"was_up": False}
    assert as_json(capsys, "status", "--project", str(tmp_path))["up"] is False
    assert main(["down", "--project", str(tmp_path)]) == 0


def test_wrong_options_are_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["consume", "lines", "--from", "soon"]) == 2
    assert main(["topic", "create", "t", "--retention", "soon"]) == 2
    assert main(["produce", "lines", "--key", "a", "--key-separator", "b"]) == 2
    assert "give one of them" in capsys.readouterr().err


def test_help_is_quick() -> None:
    took = []
    for _ in range(4):
        begun = time.monotonic()
        headrace("--help")
        took.append(time.monotonic() - begun)
    assert min(took) < 0.8  # 0.14 s alone on two cores


def test_completion_is_on() -> None:
    environment = {
        **os.environ,
        "_HEADRACE_COMPLETE": "complete_bash",
        "COMP_WORDS": "headrace to",
        "COMP_CWORD": "1",
    }
    done = subprocess.run(COMMAND, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["topic"]
