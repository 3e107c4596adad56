"""`headrace topic`."""

from __future__ import annotations

from typing import Annotated

import typer

from headrace.cli.options import AsJson, ProjectFolder, Servers, kafka_of

app = typer.Typer(help="Make, list, describe and delete topics.", no_args_is_help=True, rich_markup_mode=None)
Name = Annotated[str, typer.Argument(metavar="TOPIC", help="The topic.")]


@app.command()
def create(
    name: Name,
    partitions: Annotated[int, typer.Option(help="How many partitions.")] = 1,
    replicas: Annotated[
        int | None, typer.Option(help="How many replicas; by default the broker's own.")
    ] = None,
    retention: Annotated[
        str | None, typer.Option(metavar="DURATION", help="How long records stay: '7 days', or 'forever'.")
    ] = None,
    config: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="A setting of the topic; may be repeated.")
    ] = None,
    if_missing: Annotated[
        bool, typer.Option("--if-missing", help="Leave a topic that is there as it is.")
    ] = False,
    servers: Servers = None,
    project: ProjectFolder = None,
    json: AsJson = False,
) -> None:
    """Make a topic."""
    from headrace.broker.admin import create_topic
    from headrace.cli.output import print_json

    kafka = kafka_of(project, servers)
    made = create_topic(
        kafka.servers,
        name,
        partitions=partitions,
        replicas=replicas,
        retention=retention,
        config=_settings(config or []),
        if_missing=if_missing,
        client=kafka.client,
    )
    if json:
        print_json({"topic": name, "created": made})
    else:
        print(f"topic '{name}' made" if made else f"topic '{name}' is there already")


def _settings(pairs: list[str]) -> dict[str, str]:
    for pair in pairs:
        if "=" not in pair:
            raise typer.BadParameter(f"'{pair}' is not KEY=VALUE, such as cleanup.policy=compact")
    return {key.strip(): value for key, _, value in (pair.partition("=") for pair in pairs)}


@app.command("list")
def list_(
    internal: Annotated[bool, typer.Option("--internal", help="Kafka's own topics too.")] = False,
    servers: Servers = None,
    project: ProjectFolder = None,
    json: AsJson = False,
) -> None:
    """List the topics with their counts."""
    from headrace.broker.admin import list_topics
    from headrace.cli.output import print_json, print_table

    kafka = kafka_of(project, servers)
    topics = list_topics(kafka.servers, internal=internal, client=kafka.client)
    if json:
        print_json([topic.as_dict() for topic in topics])
        return
    rows = [(topic.name, topic.partitions, topic.replicas, topic.records) for topic in topics]
    empty = "no topics yet: headrace topic create NAME"
    print_table(("topic", "partitions", "replicas", "records"), rows, empty=empty)


@app.command()
def describe(
    name: Name, servers: Servers = None, project: ProjectFolder = None, json: AsJson = False
) -> None:
    """Show a topic's partitions, offsets, size and settings."""
    from headrace.broker.admin import describe_topic
    from headrace.cli.output import print_json, print_table

    kafka = kafka_of(project, servers)
    found = describe_topic(kafka.servers, name, data=kafka.data, client=kafka.client)
    if json:
        print_json(found.as_dict())
        return
    size = "" if found.size is None else f", {found.size} bytes"
    print(f"topic '{name}': {found.records} records{size}")
    for key, value in found.config.items():
        print(f"  {key} = {value}")
    rows = [
        (part.partition, part.leader, part.earliest, part.latest, part.records) for part in found.partitions
    ]
    print_table(("partition", "leader", "earliest", "latest", "records"), rows, empty="no partitions")


@app.command()
def delete(
    names: Annotated[list[str], typer.Argument(metavar="TOPIC...", help="The topics.")],
    servers: Servers = None,
    project: ProjectFolder = None,
    json: AsJson = False,
) -> None:
    """Delete topics with all their records."""
    from headrace.broker.admin import delete_topic, require_topics
    from headrace.cli.output import print_json

    kafka = kafka_of(project, servers)
    require_topics(kafka.servers, names, client=kafka.client)
    for name in names:
        delete_topic(kafka.servers, name, client=kafka.client)
        if not json:
            print(f"topic '{name}' deleted")
    if json:
        print_json({"deleted": names})
