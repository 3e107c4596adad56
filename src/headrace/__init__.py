"""Headrace: streaming for PySpark. The public names, each loaded when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from headrace.app import App, stream
    from headrace.connectors.console import console
    from headrace.connectors.dataframe import dataframe
    from headrace.connectors.files import files
    from headrace.connectors.foreach_batch import foreach_batch
    from headrace.connectors.kafka import kafka
    from headrace.connectors.memory import memory
    from headrace.connectors.rate import rate
    from headrace.connectors.socket import socket
    from headrace.model.windows.session import session
    from headrace.model.windows.sliding import sliding
    from headrace.model.windows.tumbling import tumbling
    from headrace.serde.csv import csv
    from headrace.serde.json import json
    from headrace.serde.raw import raw
    from headrace.serde.text import text

_HOMES = {"App": "headrace.app", "stream": "headrace.app"}

__all__ = [
    "App",
    "console",
    "csv",
    "dataframe",
    "files",
    "foreach_batch",
    "json",
    "kafka",
    "memory",
    "rate",
    "raw",
    "session",
    "sliding",
    "socket",
    "stream",
    "text",
    "tumbling",
]


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    from headrace.registry import EVERY

    for registry in EVERY:
        if name in registry:
            return registry.get(name)
    from headrace.errors import did_you_mean

    hint = did_you_mean(name, __all__, "names")
    raise AttributeError(f"headrace has no '{name}'; {hint}")


def __dir__() -> list[str]:
    return sorted(__all__)
