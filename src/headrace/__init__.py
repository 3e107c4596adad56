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
    from headrace.model.accumulation import accumulating, discarding, retracting
    from headrace.model.process import State, Timer, Timers
    from headrace.model.triggers.after_count import after_count
    from headrace.model.triggers.after_delay import after_delay
    from headrace.model.triggers.all_of import all_of
    from headrace.model.triggers.any_of import any_of
    from headrace.model.triggers.at_watermark import at_watermark
    from headrace.model.triggers.each_row import each_row
    from headrace.model.triggers.every import every
    from headrace.model.triggers.in_order import in_order
    from headrace.model.triggers.never import never
    from headrace.model.triggers.repeat import repeat
    from headrace.model.triggers.when import when
    from headrace.model.windows.all_time import all_time
    from headrace.model.windows.count import count
    from headrace.model.windows.cumulative import cumulative
    from headrace.model.windows.delta import delta
    from headrace.model.windows.punctuated import punctuated
    from headrace.model.windows.session import session
    from headrace.model.windows.sliding import sliding
    from headrace.model.windows.trailing import trailing
    from headrace.model.windows.tumbling import tumbling
    from headrace.serde.csv import csv
    from headrace.serde.json import json
    from headrace.serde.raw import raw
    from headrace.serde.text import text

_HOMES = {
    "App": "headrace.app",
    "State": "headrace.model.process",
    "Timer": "headrace.model.process",
    "Timers": "headrace.model.process",
    "stream": "headrace.app",
    "accumulating": "headrace.model.accumulation",
    "discarding": "headrace.model.accumulation",
    "retracting": "headrace.model.accumulation",
}

__all__ = [
    "App",
    "State",
    "Timer",
    "Timers",
    "accumulating",
    "after_count",
    "after_delay",
    "all_of",
    "all_time",
    "any_of",
    "at_watermark",
    "console",
    "count",
    "csv",
    "cumulative",
    "dataframe",
    "delta",
    "discarding",
    "each_row",
    "every",
    "files",
    "foreach_batch",
    "in_order",
    "json",
    "kafka",
    "memory",
    "never",
    "punctuated",
    "rate",
    "raw",
    "repeat",
    "retracting",
    "session",
    "sliding",
    "socket",
    "stream",
    "text",
    "trailing",
    "tumbling",
    "when",
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
