"""Where a project's Kafka is."""

from __future__ import annotations

from headrace.broker import process
from headrace.broker.record import Places, read
from headrace.errors import BrokerDown
from headrace.settings import Project

HINT = "start one with `headrace up`, or set [kafka] servers in headrace.toml"


def bootstrap_servers(project: Project) -> str:
    """The servers that the project names, else its own embedded broker."""
    named = project.get("kafka", "servers")
    if named:
        return named if isinstance(named, str) else ",".join(named)
    places = Places.of(project)
    record = read(places)
    if record is None or not process.is_ours(record.pid, places.properties):
        raise BrokerDown(f"no broker is up for {project.root}", hint=HINT)
    return record.servers
