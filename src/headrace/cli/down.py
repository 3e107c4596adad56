"""`headrace down`."""

from __future__ import annotations

from headrace.cli.options import AsJson, ProjectFolder, project_at


def command(project: ProjectFolder = None, json: AsJson = False) -> None:
    """Stop this project's Kafka; its data stays."""
    from headrace.broker.server import Broker
    from headrace.cli.output import print_json

    was_up = Broker(project_at(project)).down()
    if json:
        print_json({"was_up": was_up})
    else:
        print("Kafka is down" if was_up else "Kafka was not up")
