"""Which port is free on this machine."""

from __future__ import annotations

import socket

from headrace.broker.record import HOST
from headrace.errors import InvalidOption, PortTaken

USUAL = 9092


def is_free(port: int) -> bool:
    """Whether a server could listen there now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((HOST, port))
            trial.listen(1)
        except OSError:
            return False
    return True


def require_free(port: int) -> int:
    """The port itself, if a server could listen there."""
    if not 0 < port < 65536:
        raise InvalidOption(f"{port} is not a port", hint="give a number from 1024 to 65535")
    if not is_free(port):
        raise PortTaken(
            f"port {port} is taken by another program",
            hint=f"leave --port away to take a free one, or give another: --port {next_free(port + 1)}",
        )
    return port


def next_free(start: int = USUAL) -> int:
    """The first free port from `start` on."""
    for port in range(start, min(start + 1000, 65536)):
        if is_free(port):
            return port
    return any_free()


def any_free() -> int:
    """A port that the system picks."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
        trial.bind((HOST, 0))
        port: int = trial.getsockname()[1]
        return port
