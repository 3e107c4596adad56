"""`headrace produce`."""

from __future__ import annotations

import json as _json
import sys
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headrace.cli.options import ProjectFolder, Servers, kafka_of

if TYPE_CHECKING:
    from headrace.broker.records import Delivery, Outgoing


def command(
    topic: Annotated[str, typer.Argument(help="The topic.")],
    file: Annotated[Path | None, typer.Option(metavar="FILE", help="Read the lines from this file.")] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Every line must be JSON; print the count as JSON too.")
    ] = False,
    key: Annotated[
        str | None, typer.Option(metavar="FIELD", help="The field of the JSON that is the key.")
    ] = None,
    key_separator: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What stands between key and value in a line.")
    ] = None,
    partition: Annotated[int | None, typer.Option(help="Send to this partition.")] = None,
    servers: Servers = None,
    project: ProjectFolder = None,
) -> None:
    """Send lines from standard input, or from a file, to a topic."""
    from headrace.broker.records import produce
    from headrace.errors import MissingFile

    if key is not None and key_separator is not None:
        raise typer.BadParameter("--key is for JSON and --key-separator for text: give one of them")
    if file is not None and not file.is_file():
        raise MissingFile(f"no file {file}", hint="give a file with one record a line")
    lines = _Lines(json or key is not None, key, key_separator, partition)
    kafka = kafka_of(project, servers)
    with file.open("rb") if file else nullcontext(sys.stdin.buffer) as source:
        if file is None and sys.stdin.isatty():
            sys.stderr.write("one record a line; end with Ctrl-D\n")
        delivery = produce(kafka.servers, topic, lines.records(source), client=kafka.client)
    _report(topic, delivery, lines, as_json=json)


@dataclass(slots=True)
class _Lines:
    """Lines as records; those that cannot be one are kept with their reason."""

    as_json: bool
    key: str | None
    separator: str | None
    partition: int | None
    refused: list[str] = field(default_factory=list)

    def records(self, source: Any) -> Iterator[Outgoing]:
        """The records; Ctrl-C ends them as the end of the input does."""
        with suppress(KeyboardInterrupt):
            for number, line in enumerate(source, 1):
                try:
                    record = self._record(line.rstrip(b"\r\n"))
                except ValueError as problem:
                    self.refused.append(f"line {number}: {problem}")
                    continue
                if record is not None:
                    yield record

    def _record(self, line: bytes) -> Outgoing | None:
        from headrace.broker.records import Outgoing

        if self.as_json:
            if not line.strip():
                return None
            content = _json.loads(line)
            return Outgoing(line, self._key_in(content), self.partition)
        if self.separator is not None:
            key, found, value = line.partition(self.separator.encode())
            if not found:
                raise ValueError(f"no '{self.separator}' between key and value")
            return Outgoing(value, key, self.partition)
        return Outgoing(line, None, self.partition)

    def _key_in(self, content: object) -> bytes | None:
        if self.key is None:
            return None
        if not isinstance(content, dict) or self.key not in content:
            raise ValueError(f"no field '{self.key}' for the key")
        key = content[self.key]
        if key is None:
            return None
        return (key if isinstance(key, str) else _json.dumps(key)).encode()


def _report(topic: str, delivery: Delivery, lines: _Lines, *, as_json: bool) -> None:
    from headrace.cli.output import print_json

    wrong = delivery.failed + len(lines.refused)
    if as_json:
        told = {"topic": topic, "delivered": delivery.delivered, "failed": delivery.failed}
        print_json({**told, "errors": delivery.errors, "refused": lines.refused})
    else:
        print(f"{delivery.delivered} records delivered to '{topic}'")
        for error, count in delivery.errors.items():
            sys.stderr.write(f"error: {count} not delivered: {error}\n")
        for reason in lines.refused[:10]:
            sys.stderr.write(f"error: refused {reason}\n")
        if len(lines.refused) > 10:
            sys.stderr.write(f"error: and {len(lines.refused) - 10} more lines\n")
    if wrong:
        raise typer.Exit(1)
