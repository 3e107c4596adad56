"""Checkpoints: where they lie, and whether one belongs to the job that wants to go on from it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headrace.errors import CheckpointMismatch
from headrace.origin import Origin
from headrace.plan.nodes import Node, Read, upstream
from headrace.planner.divide import Query
from headrace.settings import Project
from headrace.spark.storage import Storage

CARD = "headrace.json"
FORMAT = 1


@dataclass(frozen=True)
class Checkpoints:
    """The checkpoints of one job, a folder a query."""

    root: str
    app: str
    storage: Storage
    keeps_state: Callable[[Node], bool]
    origin: Origin | None = None

    def folder(self, query: Query) -> str:
        return f"{self.root}/{safe(query.name)}"

    def claim(self, query: Query) -> str:
        """The query's folder, once it is sure that what lies there is this query's own."""
        folder = self.folder(query)
        card = f"{folder}/{CARD}"
        mine = identity(self.app, query, self.keeps_state)
        found = self.storage.read(card)
        if found is not None:
            self._compare(json.loads(found), mine, folder)
        elif self.storage.exists(f"{folder}/metadata"):
            raise self._mismatch(
                f"{folder} holds the checkpoint of a Spark query that Headrace did not start"
            )
        else:
            self.storage.write(card, json.dumps(mine, indent=2) + "\n")
        return folder

    def _compare(self, theirs: dict[str, Any], mine: dict[str, Any], folder: str) -> None:
        if theirs.get("app") != mine["app"]:
            raise self._mismatch(
                f"the checkpoint in {folder} belongs to app '{theirs.get('app')}', not '{self.app}'"
            )
        for part, what in (("sources", "reads"), ("state", "keeps state for")):
            if theirs.get(part) != mine[part]:
                was, now = (_listed(card.get(part, [])) for card in (theirs, mine))
                raise self._mismatch(
                    f"the checkpoint in {folder} is of a job that {what} {was}; this one {what} {now}"
                )

    def _mismatch(self, message: str) -> CheckpointMismatch:
        return CheckpointMismatch(
            message,
            hint="give this job another name or --checkpoint, or delete that folder to begin anew",
            origin=self.origin,
        )


def root_of(project: Project, app: str, given: str | None) -> str:
    """Where a job's checkpoints lie: as given, or in the project's own folder."""
    if given is None:
        return str(project.state / "checkpoints" / safe(app))
    return given if "://" in given else str(Path(given).resolve())


def identity(app: str, query: Query, keeps_state: Callable[[Node], bool]) -> dict[str, Any]:
    """What must stay the same for state and offsets to stay valid."""
    nodes = list(upstream(query.cut))
    sources = [node.source.identity() for node in nodes if isinstance(node, Read)]
    state = [node.state_text for node in nodes if keeps_state(node)]
    return {"format": FORMAT, "app": app, "query": query.name, "sources": sources, "state": state}


def safe(name: str) -> str:
    """A name as a folder's."""
    return (
        "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in name).strip(".") or "_"
    )


def _listed(parts: list[Any]) -> str:
    texts = [part if isinstance(part, str) else " ".join(map(str, part.values())) for part in parts]
    return "; ".join(texts) or "nothing"
