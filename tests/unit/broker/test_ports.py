from __future__ import annotations

import socket

import pytest

from headrace.broker import ports
from headrace.errors import InvalidOption, PortTaken


def test_a_taken_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "next_free", lambda start: start + 5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert not ports.is_free(port)
        with pytest.raises(PortTaken) as error:
            ports.require_free(port)
    assert str(error.value) == (
        f"port {port} is taken by another program\n"
        f"  hint: leave --port away to take a free one, or give another: --port {port + 6}"
    )
    assert ports.require_free(port) == port


def test_the_next_free_port_is_not_a_taken_one() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert ports.next_free(port) > port


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_no_port(port: int) -> None:
    with pytest.raises(InvalidOption, match=rf"^{port} is not a port"):
        ports.require_free(port)
