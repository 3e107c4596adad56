"""Any Spark DataFrame as a source: what Spark can read, Headrace can."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headrace.connect.source import Reading, Source
from headrace.errors import InvalidOption
from headrace.model.modes import Mode
from headrace.settings import Project

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Frame(Source):
    frame: Any
    name: str

    @property
    def address(self) -> str:
        return self.name

    @property
    def text(self) -> str:
        kind = "streaming DataFrame" if self.frame.isStreaming else "DataFrame"
        return f"{kind} of {', '.join(self.frame.columns)}"

    def refuses(self, mode: Mode) -> str | None:
        if mode.streaming and not self.frame.isStreaming:
            return f"the DataFrame is not a streaming one, so it can be run in batch and not in {mode}"
        if not mode.streaming and self.frame.isStreaming:
            return "the DataFrame is a streaming one, so it cannot be run in batch"
        return None

    def reading(self, mode: Mode, project: Project) -> Reading:
        return Reading(frame=self.frame)


def dataframe(frame: DataFrame, *, name: str = "dataframe") -> Frame:
    """A DataFrame, streaming or not, as a source."""
    if not hasattr(frame, "isStreaming"):
        raise InvalidOption(
            f"{type(frame).__name__} is not a Spark DataFrame",
            hint="give spark.readStream…load(), or a connector",
        )
    return Frame(frame, name)
