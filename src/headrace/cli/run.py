"""`headrace run`."""

from __future__ import annotations

from typing import Annotated

import typer

from headrace.cli.loading import JobFile, Master, ModeOption
from headrace.cli.options import AsJson


def command(
    file: JobFile,
    mode: ModeOption = "micro-batch",
    master: Master = None,
    every: Annotated[str, typer.Option(help="The least time between two micro-batches.")] = "0 seconds",
    checkpoint: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Where the job keeps its place; any path that Spark knows."),
    ] = None,
    stop_after: Annotated[str | None, typer.Option(help="Stop cleanly after this long.")] = None,
    conf: Annotated[
        list[str] | None,
        typer.Option("--conf", metavar="KEY=VALUE", help="A setting of Spark's; may be repeated."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Run a job until it ends, or until Ctrl-C; the next run goes on where this one stopped."""
    from headrace.app import Asked
    from headrace.cli.loading import load
    from headrace.errors import InvalidOption
    from headrace.terminal.live import view

    settings = {}
    for pair in conf or []:
        key, equals, value = pair.partition("=")
        if not equals:
            raise InvalidOption(f"--conf {pair} has no value", hint="write --conf spark.some.key=value")
        settings[key.strip()] = value.strip()
    app = load(file, Asked(master, settings))
    app.run(
        mode=mode,
        every=every,
        checkpoint=checkpoint,
        stop_after=stop_after,
        view=view(json=json),
    )
