"""`headrace consume`."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from headrace.cli.options import ProjectFolder, Servers, kafka_of

if TYPE_CHECKING:
    from headrace.broker.records import Incoming


def command(
    topic: Annotated[str, typer.Argument(help="The topic.")],
    start: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="WHERE",
            help="'beginning', 'end', an offset, or a time such as 2026-01-31T12:00.",
        ),
    ] = "beginning",
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Wait for new records, until Ctrl-C.")
    ] = False,
    maximum: Annotated[int | None, typer.Option("--max", min=1, help="Stop after so many records.")] = None,
    timeout: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Stop after so long without a record.")
    ] = None,
    partition: Annotated[int | None, typer.Option(help="Read this partition alone.")] = None,
    group: Annotated[str | None, typer.Option(help="Read as a member of this group.")] = None,
    servers: Servers = None,
    project: ProjectFolder = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON document a record.")] = False,
) -> None:
    """Show the records of a topic; Ctrl-C ends it cleanly."""
    from headrace.broker.records import consume, start_of
    from headrace.cli.output import print_json

    begin = start_of(start)
    kafka = kafka_of(project, servers)
    records = consume(
        kafka.servers,
        topic,
        start=begin,
        follow=follow,
        partition=partition,
        group=group,
        maximum=maximum,
        timeout=timeout,
        client=kafka.client,
    )
    with suppress(KeyboardInterrupt):
        for record in records:
            if json:
                print_json(record.as_dict())
            else:
                print(_line(record), flush=True)


def _line(record: Incoming) -> str:
    from headrace.broker.decoding import text_of

    at = record.timestamp.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z" if record.timestamp else "-"
    key, value = ("-" if data is None else text_of(data) for data in (record.key, record.value))
    return f"{record.partition}:{record.offset}  {at}  {key}  {value}"
