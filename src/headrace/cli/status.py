"""`headrace status`."""

from __future__ import annotations

from headrace.cli.options import AsJson, ProjectFolder, project_at


def command(project: ProjectFolder = None, json: AsJson = False) -> None:
    """Say whether this project's Kafka is up, and where."""
    from headrace.broker.server import Broker
    from headrace.cli.output import print_json

    status = Broker(project_at(project)).status()
    if json:
        print_json(status.as_dict())
        return
    if not status.up:
        print("Kafka is down")
    elif status.answers:
        print(f"Kafka {status.version} is up at {status.servers} (process {status.pid})")
    else:
        print(f"Kafka {status.version} runs (process {status.pid}) and does not answer at {status.servers}")
    print(f"  data  {status.data}\n  log   {status.log}")
