"""What the whole test session shares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from headrace.broker.server import Broker
from headrace.settings import Project

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# How long an example takes says more of the machine than of the code.
settings.register_profile("steady", deadline=None)
settings.load_profile("steady")


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


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """The one Spark session of the whole test session."""
    from headrace.spark.session import session

    started = session("tests", Project(tmp_path_factory.mktemp("spark")), master="local[2]")
    yield started
    started.stop()
