"""Jobs as a user runs them: files in a folder of their own, each run in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass
class Shop:
    """A user's project folder."""

    root: Path

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip(), encoding="utf-8")
        return path

    def command(
        self, *arguments: str, stdin: str = "", limit: float = 120
    ) -> subprocess.CompletedProcess[str]:
        """A headrace command, run to its end."""
        return subprocess.run(
            [sys.executable, "-m", "headrace.cli", *arguments],
            cwd=self.root, env=environment(), input=stdin, capture_output=True, text=True, timeout=limit, check=False,
        )  # fmt: skip

    def start(self, *arguments: str) -> Started:
        """A headrace command, left running."""
        out = self.root / f"out-{time.monotonic_ns()}.log"
        with out.open("wb") as file:
            process = subprocess.Popen(
                [sys.executable, "-m", "headrace.cli", *arguments],
                cwd=self.root, env=environment(), stdout=file, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        return Started(process, out)

    def produce(self, topic: str, rows: list[dict[str, object] | str]) -> None:
        lines = "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows)
        done = self.command("produce", topic, stdin=lines + "\n")
        assert done.returncode == 0, done.stderr

    def consume(self, topic: str) -> list[dict[str, object]]:
        """The values of a topic so far."""
        done = self.command("consume", topic, "--from", "beginning", "--json")
        assert done.returncode == 0, done.stderr
        return [json.loads(line)["value"] for line in done.stdout.splitlines()]


@dataclass
class Started:
    """A command that runs."""

    process: subprocess.Popen[bytes]
    log: Path

    @property
    def said(self) -> str:
        return self.log.read_text(encoding="utf-8")

    def stop(self, number: int = signal.SIGTERM, limit: float = 60) -> int:
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(limit)


def environment() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if not key.startswith("HEADRACE_KAFKA")}


def eventually(look: Callable[[], bool], what: str, limit: float = 60) -> None:
    """Wait until it is so, and fail with its name when it never is."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        if look():
            return
        time.sleep(0.5)
    pytest.fail(f"never seen in {limit} s: {what}")
