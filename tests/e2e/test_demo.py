"""The demo: it ends by itself with numbers that agree, says when they do not, and stops what it started."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

import pytest

from headrace.broker.server import Broker
from headrace.settings import Project

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
check = import_module("examples.page_views.check")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A copy of the examples, so that a demo that somebody else runs is left alone."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns(".headrace"))
    return tmp_path


def command(*more: str) -> list[str]:
    return [sys.executable, "-m", "examples.page_views", *more]


def broker_is_up(place: Path) -> bool:
    return Broker(Project.find(place / "examples" / "page_views")).status().up


def test_the_demo_checks_every_number(place: Path) -> None:
    short = command("--rate", "100", "--seconds", "5")
    done = subprocess.run(short, cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "views stored                     500      500   all the same" in done.stdout
    assert "views per page (update" in done.stdout
    assert "Every number checked" in done.stdout
    assert not broker_is_up(place)


def test_ctrl_c_stops_the_demo_and_its_broker(place: Path) -> None:
    with subprocess.Popen(
        command(), cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as demo:
        assert demo.stdout is not None
        for line in demo.stdout:
            if line.startswith("Kafka is up"):
                break
        os.kill(demo.pid, signal.SIGINT)
        said = demo.stdout.read()
        assert demo.wait(60) == 130, said
    assert "nothing was checked" in said
    assert "Traceback" not in said
    assert not broker_is_up(place)


def at(second: int) -> datetime:
    return datetime(2026, 1, 1, 12, 0, second, tzinfo=UTC)


def test_a_lost_and_a_doubled_number_are_both_told() -> None:
    found = check.same_numbers("views", [1, 2, 3], [1, 3, 3])
    assert found.differences == ["lost: number 2", "too many: number 3"]


def test_a_wrong_count_is_told() -> None:
    found = check.same_counts("counts", {"a": 1, "b": 2}, {"a": 1, "b": 3, "c": 1})
    assert found.differences == ["b: 2 were sent, 3 were counted", "c: None were sent, 1 were counted"]


def test_a_view_counts_in_each_window_that_holds_it() -> None:
    views = [{"page": "/a", "event_time": at(7)}, {"page": "/a", "event_time": at(10)}]
    assert check.windows(views) == {("/a", at(0)): 1, ("/a", at(5)): 2, ("/a", at(10)): 1}
