"""What the whole test session shares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from headrace.broker.server import Broker
from headrace.settings import Project


@dataclass(frozen=True)
class Running:
    """A real broker, and the project whose it is."""

    project: Project
    servers: str


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One real Kafka for the whole session."""
    project = Project(tmp_path_factory.mktemp("kafka"))
    embedded = Broker(project)
    status = embedded.up()
    assert status.servers is not None
    yield Running(project, status.servers)
    embedded.down()
