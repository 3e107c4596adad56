"""`headrace validate`."""

from __future__ import annotations

from typing import Annotated

import typer

from headrace.cli.loading import JobFile, ModeOption
from headrace.cli.options import AsJson


def command(
    file: JobFile,
    mode: ModeOption = "micro-batch",
    connect: Annotated[
        bool, typer.Option("--connect", help="Also ask brokers and file systems whether all is there.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Resolve a whole job, every column and type of it, without reading or writing a row."""
    from headrace.cli.loading import load
    from headrace.cli.output import print_json

    app = load(file)
    physical = app.validate(mode=mode)
    if connect:
        from headrace.runtime.run import preflight

        preflight(app.job, app.project)
    queries = len(physical.queries)
    if json:
        print_json(
            {"job": app.name, "mode": mode, "valid": True, "steps": len(physical.steps), "queries": queries}
        )
    else:
        plural = "query" if queries == 1 else "queries"
        print(f"{app.name} is valid in {mode}: {len(physical.steps)} steps, {queries} {plural}")
