"""What the whole test session shares."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from headrace.broker.server import Broker
from headrace.settings import Project


@pytest.fixture(scope="session")
def broker_project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project whose the session's broker is."""
    return Project(tmp_path_factory.mktemp("kafka"))


@pytest.fixture(scope="session")
def broker(broker_project: Project) -> Iterator[str]:
    """The address of one real Kafka for the whole session."""
    embedded = Broker(broker_project)
    yield str(embedded.up().servers)
    embedded.down()
