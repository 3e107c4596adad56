"""How things of one kind are found: a file each in their room, or a package's entry point."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from headrace.errors import InvalidOption, did_you_mean


@dataclass(frozen=True)
class Registry:
    """The things of one kind: each module of `room` offers the public name that it is called by."""

    kind: str
    room: str

    def names(self) -> list[str]:
        return sorted({*self._own(), *self._foreign()})

    def get(self, name: str) -> Any:
        """The thing of that name; the module that holds it is imported now and not before."""
        if name in self._own():
            return getattr(import_module(f"{self.room}.{name}"), name)
        foreign = self._foreign()
        if name in foreign:
            return foreign[name].load()
        raise InvalidOption(
            f"no {self.kind} '{name}'", hint=did_you_mean(name, self.names(), f"{self.kind}s")
        )

    def __contains__(self, name: str) -> bool:
        return name in self._own() or name in self._foreign()

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def _own(self) -> list[str]:
        path = import_module(self.room).__path__
        return [module.name for module in pkgutil.iter_modules(path) if not module.name.startswith("_")]

    def _foreign(self) -> dict[str, Any]:
        return {entry.name: entry for entry in entry_points(group=self.room)}


CONNECTORS = Registry("connector", "headrace.connectors")
WINDOWS = Registry("window", "headrace.model.windows")
TRIGGERS = Registry("trigger", "headrace.model.triggers")
SERDES = Registry("format", "headrace.serde")
EVERY = (CONNECTORS, WINDOWS, TRIGGERS, SERDES)
