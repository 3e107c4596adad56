"""Whether a broker answers."""

from __future__ import annotations

import socket

from headrace.errors import BrokerDown
from headrace.time import SYSTEM_CLOCK, Clock

HINT = (
    "start this project's broker with `headrace up`, or set [kafka] servers in headrace.toml to one that runs"
)


def addresses(servers: str) -> list[tuple[str, int]]:
    """Hosts and ports of a bootstrap list.

    >>> addresses("a:9092, PLAINTEXT://[::1]:9093,b")
    [('a', 9092), ('::1', 9093), ('b', 9092)]
    """
    found: list[tuple[str, int]] = []
    for server in servers.split(","):
        place = server.strip().rpartition("://")[2]
        host, colon, port = place.rpartition(":")
        if not colon or not port.isdigit():
            host, port = place, "9092"
        if host:
            found.append((host.strip("[]"), int(port)))
    return found


def answers(servers: str, timeout: float = 1.0) -> bool:
    """Whether any of the servers takes a TCP connection within `timeout` seconds."""
    for address in addresses(servers):
        try:
            socket.create_connection(address, timeout).close()
        except OSError:
            continue
        return True
    return False


def wait_until_answers(servers: str, timeout: float = 30.0, *, clock: Clock = SYSTEM_CLOCK) -> bool:
    """Wait up to `timeout` seconds for any of the servers; false when none came."""
    deadline = clock.monotonic() + timeout
    while not answers(servers, min(1.0, timeout)):
        if clock.monotonic() >= deadline:
            return False
        clock.sleep(0.05)
    return True


def require_answer(servers: str, timeout: float = 2.0) -> None:
    """Raise at once where nothing listens."""
    if not answers(servers, timeout):
        raise BrokerDown(f"no Kafka answers at {servers}", hint=HINT)
