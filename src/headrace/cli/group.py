"""`headrace group`."""

from __future__ import annotations

from typing import Annotated

import typer

from headrace.cli.options import AsJson, ProjectFolder, Servers, kafka_of

app = typer.Typer(
    help="List, describe and move consumer groups.", no_args_is_help=True, rich_markup_mode=None
)
Name = Annotated[str, typer.Argument(metavar="GROUP", help="The group.")]
_HEADS = ("topic", "partition", "offset", "end", "lag", "member")


@app.command("list")
def list_(servers: Servers = None, project: ProjectFolder = None, json: AsJson = False) -> None:
    """List the groups."""
    from headrace.broker.groups import list_groups
    from headrace.cli.output import print_json, print_table

    kafka = kafka_of(project, servers)
    groups = list_groups(kafka.servers, client=kafka.client)
    if json:
        print_json([group.as_dict() for group in groups])
        return
    rows = [(group.name, group.state, group.members) for group in groups]
    print_table(("group", "state", "members"), rows, empty="no groups yet")


@app.command()
def describe(
    name: Name, servers: Servers = None, project: ProjectFolder = None, json: AsJson = False
) -> None:
    """Show where a group stands in each partition, and how far behind it is."""
    from headrace.broker.groups import describe_group
    from headrace.cli.output import print_json, print_table

    kafka = kafka_of(project, servers)
    found = describe_group(kafka.servers, name, client=kafka.client)
    if json:
        print_json(found.as_dict())
        return
    print(f"group '{name}': {found.state}, {found.members} members, {found.lag} records behind")
    rows = [(at.topic, at.partition, at.offset, at.end, at.lag, at.member) for at in found.standings]
    print_table(_HEADS, rows, empty="it has read nothing yet")


@app.command()
def reset(
    name: Name,
    to: Annotated[
        str,
        typer.Option(
            metavar="WHERE", help="'beginning', 'end', an offset, or a time such as 2026-01-31T12:00."
        ),
    ],
    topic: Annotated[list[str] | None, typer.Option(help="In this topic alone; may be repeated.")] = None,
    servers: Servers = None,
    project: ProjectFolder = None,
    json: AsJson = False,
) -> None:
    """Move a group that has no members now."""
    from headrace.broker.groups import reset_group
    from headrace.broker.records import start_of
    from headrace.cli.output import print_json, print_table

    where = start_of(to)
    kafka = kafka_of(project, servers)
    moved = reset_group(kafka.servers, name, where, topics=topic or None, client=kafka.client)
    rows = [(at.topic, at.partition, at.offset, at.end, at.lag, at.member) for at in moved]
    if json:
        print_json([dict(zip(_HEADS, row, strict=True)) for row in rows])
    else:
        print_table(_HEADS, rows, empty="nothing was moved")
