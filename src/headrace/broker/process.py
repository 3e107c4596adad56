"""The broker's process: started on its own, recognised, stopped."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from pathlib import Path

from headrace.time import SYSTEM_CLOCK, Clock


def start(command: list[str], output: Path, *, clock: Clock = SYSTEM_CLOCK) -> int:
    """Start it in a session of its own, so that it outlives us, and give its process id."""
    pid = os.posix_spawn(
        command[0],
        command,
        os.environ,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(output), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
        setsigmask=[],
        setsigdef=[signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE],
    )
    # For a moment after it is born, a process has no command line by which it could be recognised.
    for _ in range(100):
        if _command_line(pid) != [""]:
            break
        clock.sleep(0.005)
    return pid


def is_ours(pid: int | None, properties: Path) -> bool:
    """Whether that process lives and is the broker with that file; a number used again by another is not."""
    if pid is None:
        return False
    _reap(pid)
    words = _command_line(pid)
    return "kafka.Kafka" in words and str(properties) in words


def stop(pid: int, properties: Path, *, patience: float = 20.0, clock: Clock = SYSTEM_CLOCK) -> bool:
    """Ask it to end, wait, then end it; true when it ended by itself."""
    for number, seconds in ((signal.SIGTERM, patience), (signal.SIGKILL, 5.0)):
        if not is_ours(pid, properties):
            return True
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
        deadline = clock.monotonic() + seconds
        while clock.monotonic() < deadline:
            if not is_ours(pid, properties):
                return number == signal.SIGTERM
            clock.sleep(0.02)
    return False


def _reap(pid: int) -> None:
    """Take leave of it if it was a child of ours, so that no zombie stays."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def _command_line(pid: int) -> list[str]:
    if Path("/proc/self").exists():
        try:
            return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace").split("\0")
        except OSError:
            return []
    asked = ["ps", "-ww", "-o", "command=", "-p", str(pid)]
    said = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    head, _, tail = said.partition(" kafka.Kafka ")
    return ["kafka.Kafka", tail] if head and tail else []
