"""What is said when a broker dies while it starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from headrace.broker.server import Broker
from headrace.errors import BrokerDown, DiskFull, HeadraceError, PortTaken, SetupError
from headrace.settings import Project

DEATHS: list[tuple[str, type[HeadraceError], str]] = [
    (
        "java.io.IOException: No space left on device",
        DiskFull,
        "the broker stopped: no room left on its disk",
    ),
    (
        "Socket server failed to bind: Address already in use.",
        PortTaken,
        "port 9092 is taken by another program",
    ),
    ("Failed to acquire lock on file .lock in /d", SetupError, "another broker uses the same data folder"),
    (
        "INFO fine\nFATAL x\n2026 ERROR K: cannot\nCaused by: that",
        BrokerDown,
        "the broker stopped while it started:\n    2026 ERROR K: cannot\n    Caused by: that",
    ),
    ("only\nthis", BrokerDown, "the broker stopped while it started:\n    only\n    this"),
    ("", BrokerDown, "the broker stopped while it started"),
]


@pytest.mark.parametrize(("log", "kind", "message"), DEATHS)
def test_deaths(tmp_path: Path, log: str, kind: type[HeadraceError], message: str) -> None:
    with pytest.raises(kind) as error:
        Broker(Project(tmp_path))._raise_dead(log.splitlines(), 9092)
    assert error.value.message == message
    assert error.value.hint
