"""`headrace up`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from headrace.cli.options import AsJson, ProjectFolder, project_at


def command(
    port: Annotated[
        int | None, typer.Option(help="The port; by default the last one, 9092, or the next free.")
    ] = None,
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="Where the broker keeps its data.")] = None,
    wait: Annotated[float, typer.Option(metavar="SECONDS", help="How long to wait for its answer.")] = 60.0,
    project: ProjectFolder = None,
    json: AsJson = False,
) -> None:
    """Start this project's Kafka and come back when it answers."""
    from headrace.broker.server import Broker
    from headrace.cli.output import print_json

    status = Broker(project_at(project)).up(port, data, wait=wait)
    if json:
        print_json(status.as_dict())
    else:
        print(f"Kafka {status.version} is up at {status.servers} (process {status.pid})")
