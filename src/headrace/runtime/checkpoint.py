"""Checkpoints: where they lie, and whether one belongs to the job that wants to go on from it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headrace.errors import CheckpointMismatch
from headrace.origin import Origin
from headrace.plan.nodes import Node
from headrace.planner.divide import Query
from headrace.runtime.identity import Form, differences, identity, kept_in
from headrace.settings import Project
from headrace.spark.storage import Storage

CARD = "headrace.json"


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

    def claim(self, query: Query, form: Form | None = None) -> str:
        """The query's folder, once it is sure that what lies there is this query's own."""
        folder = self.folder(query)
        card = f"{folder}/{CARD}"
        form = form or Form()
        mine = identity(self.app, query, self.keeps_state, form)
        found = self.storage.read(card)
        if found is not None:
            self._compare(json.loads(found), mine, folder, kept_in(query, self.keeps_state), form)
        elif self.storage.exists(f"{folder}/metadata"):
            raise self._mismatch(
                f"{folder} holds the checkpoint of a Spark query that Headrace did not start"
            )
        text = json.dumps(mine, indent=2) + "\n"
        if found != text:
            self.storage.write(card, text)
        return folder

    def _compare(
        self, theirs: dict[str, Any], mine: dict[str, Any], folder: str, nodes: list[Node], form: Form
    ) -> None:
        if theirs.get("app") != mine["app"]:
            raise self._mismatch(
                f"the checkpoint in {folder} belongs to app '{theirs.get('app')}', not '{self.app}'"
            )
        if theirs.get("format") != mine["format"]:
            raise self._mismatch(
                f"the checkpoint in {folder} has format {theirs.get('format')}, and this Headrace reads "
                f"{mine['format']}"
            )
        if theirs["sources"] != mine["sources"]:
            was, now = (_listed(card["sources"]) for card in (theirs, mine))
            raise self._mismatch(
                f"the checkpoint in {folder} is of a job that reads {was}; this one reads {now}"
            )
        for found in differences(theirs["state"], mine["state"], nodes):
            raise self._mismatch(
                f"the checkpoint in {folder} holds {found.was}; the program now says {found.now}",
                found.origin,
            )
        self._shards(theirs, mine, folder, form)

    def _shards(self, theirs: dict[str, Any], mine: dict[str, Any], folder: str, form: Form) -> None:
        """State lies in as many shards as it was begun with, unless another number is asked for by name."""
        was, now = theirs.get("shards"), mine.get("shards")
        if was is None or was == now:
            return
        if form.chosen:
            raise self._mismatch(
                f"the checkpoint in {folder} holds state in {was} shards;"
                f" spark.sql.shuffle.partitions is now {now}"
            )
        mine["shards"] = was

    def _mismatch(self, message: str, origin: Origin | None = None) -> CheckpointMismatch:
        return CheckpointMismatch(
            message,
            hint="put it back; or give this job another name or --checkpoint,"
            " or delete that folder to begin anew",
            origin=origin or self.origin,
        )


def root_of(project: Project, app: str, given: str | None) -> str:
    """Where a job's checkpoints lie: as given, or in the project's own folder."""
    if given is None:
        return str(project.state / "checkpoints" / safe(app))
    return given if "://" in given else str(Path(given).resolve())


def safe(name: str) -> str:
    """A name as a folder's."""
    return (
        "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in name).strip(".") or "_"
    )


def _listed(parts: list[Any]) -> str:
    texts = [part if isinstance(part, str) else " ".join(map(str, part.values())) for part in parts]
    return "; ".join(texts) or "nothing"
