"""A source: where rows come from, described and not opened."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from headrace.model.modes import Mode
from headrace.model.schema import Schema
from headrace.serde._serde import Serde
from headrace.settings import Project

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class Topics(StrEnum):
    """How many topics a source reads; one that has none is one partition."""

    NONE = "none"
    ONE = "one"
    SEVERAL = "several"


@dataclass(frozen=True)
class Reading:
    """How Spark reads it: a format with options, a path if it has one, or a DataFrame that is there already.

    `raw` names columns that hold bytes still to be decoded, with what decodes them; `keep` names further
    columns that the stream shows, `stamps` those that say where a row came from, and `skip` a line that is
    no row.
    """

    format: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    path: str | None = None
    schema: Schema | None = None
    frame: DataFrame | None = None
    raw: Mapping[str, Serde] = field(default_factory=dict)
    keep: tuple[str, ...] = ()
    stamps: tuple[str, ...] = ()
    skip: str | None = None


class Source(ABC):
    """A place that rows come from."""

    @property
    @abstractmethod
    def address(self) -> str:
        """What it is called by in tests and messages: a topic, a path, a name."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The source in a few words, for `explain`."""

    @abstractmethod
    def reading(self, mode: Mode, project: Project) -> Reading:
        """How to read it in that mode."""

    @property
    def replayable(self) -> bool:
        """Whether rows already handed out can be had again after a failure."""
        return True

    @property
    def topics(self) -> Topics:
        """Whether its offsets name topics and partitions of them, each with an order of its own."""
        return Topics.NONE

    def refuses(self, mode: Mode) -> str | None:
        """Why it cannot be read in that mode, if it cannot."""
        return "Spark's real-time mode reads from Kafka alone" if mode is Mode.REAL_TIME else None

    def preflight(self, project: Project) -> None:
        """Raise what would keep it from being read: a topic or a file that is not there."""

    def brokers(self, project: Project) -> str | None:
        """The servers (host:port, …) that it needs while it runs, if any."""
        return None

    def identity(self) -> dict[str, Any]:
        """What must stay the same for a checkpoint to stay valid."""
        return {"source": type(self).__name__.lower(), "address": self.address}
