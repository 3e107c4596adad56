"""The options that several commands share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from headrace.settings import Project

ProjectFolder = Annotated[
    Path | None,
    typer.Option("--project", metavar="DIR", help="The project's folder; by default the one around here."),
]
Servers = Annotated[
    str | None,
    typer.Option(metavar="HOST:PORT", help="Another Kafka than the project's."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@dataclass(frozen=True, slots=True)
class Kafka:
    """The Kafka that a command speaks to, and the client settings that the project has for it."""

    servers: str
    client: Mapping[str, Any] | None
    data: Path | None


def project_at(folder: Path | None) -> Project:
    """The project of the given folder, or the one around the present folder."""
    return Project.find(folder)


def kafka_of(folder: Path | None, servers: str | None) -> Kafka:
    """The servers that were named, else those of the project."""
    from headrace.broker.address import bootstrap_servers
    from headrace.broker.server import Broker

    project = project_at(folder)
    found = servers or bootstrap_servers(project)
    status = Broker(project).status()
    data = Path(status.data) if status.servers == found else None
    return Kafka(found, project.section("kafka").get("client"), data)
