"""A TCP socket: lines of text, as they come; what was read once cannot be read again."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.connect.source import Reading, Source
from headrace.errors import InvalidOption
from headrace.model.modes import Mode
from headrace.settings import Project


@dataclass(frozen=True)
class Socket(Source):
    host: str
    port: int

    @property
    def address(self) -> str:
        return f"{self.host}:{self.port}"

    @property
    def text(self) -> str:
        return f"socket {self.address}"

    @property
    def replayable(self) -> bool:
        return False

    def refuses(self, mode: Mode) -> str | None:
        if mode.ends:
            return f"a socket has no end, so it cannot be read in {mode}"
        return super().refuses(mode)

    def reading(self, mode: Mode, project: Project) -> Reading:
        return Reading("socket", {"host": self.host, "port": str(self.port)})


def socket(host: str, port: int) -> Socket:
    """Lines that a server at `host`:`port` sends, in a column `value`; for trying out, as it cannot replay.

    >>> socket("localhost", 9999).text
    'socket localhost:9999'
    """
    if not 0 < port < 65536:
        raise InvalidOption(f"{port} is not a port", hint="use a number from 1 to 65535")
    return Socket(host, port)
