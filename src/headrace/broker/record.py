"""What is written down about a project's broker, so that every later command finds it."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from headrace.settings import Project

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Places:
    """The files of a project's broker."""

    folder: Path

    @classmethod
    def of(cls, project: Project) -> Places:
        return cls(project.state.resolve() / "broker")

    @property
    def record(self) -> Path:
        return self.folder / "broker.json"

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def log(self) -> Path:
        return self.folder / "broker.log"

    @property
    def output(self) -> Path:
        return self.folder / "broker.out"

    @property
    def properties(self) -> Path:
        return self.folder / "server.properties"

    @property
    def lock(self) -> Path:
        return self.folder / "lock"

    @property
    def classes(self) -> Path:
        return self.folder / "classes.jsa"


@dataclass(frozen=True, slots=True)
class Record:
    """The broker's process (none while down), port, cluster, and data folder where it is not its own."""

    pid: int | None
    port: int
    cluster_id: str
    data: str | None = None

    @property
    def servers(self) -> str:
        return f"{HOST}:{self.port}"


def read(places: Places) -> Record | None:
    """The record, or nothing where there is none that can be read."""
    try:
        return Record(**json.loads(places.record.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def write(places: Places, record: Record) -> None:
    """Put the record in the place of the last one, whole or not at all."""
    beside = places.record.with_name(f"broker.json.{os.getpid()}")
    beside.write_text(json.dumps(asdict(record), indent=1), encoding="utf-8")
    beside.replace(places.record)
