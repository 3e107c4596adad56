"""`headrace explain`."""

from __future__ import annotations

from typing import Annotated

import typer

from headrace.cli.loading import JobFile, ModeOption
from headrace.cli.options import AsJson


def command(
    file: JobFile,
    mode: ModeOption = "micro-batch",
    mermaid: Annotated[bool, typer.Option("--mermaid", help="Print a Mermaid flowchart.")] = False,
    spark: Annotated[bool, typer.Option("--spark", help="Add Spark's own plan of each query.")] = False,
    json: AsJson = False,
) -> None:
    """Say how a job will run: its steps and queries, what it guarantees, and why not in real time."""
    from headrace.cli.loading import load
    from headrace.cli.output import print_json

    app = load(file)
    explained = app.explain(mode=mode)
    plans = app.spark_plans(mode=mode) if spark else {}
    if json:
        print_json({**explained.content, **({"spark": plans} if spark else {})})
    elif mermaid:
        print(explained.mermaid())
    else:
        print(explained.text())
        for name, plan in plans.items():
            print(f"\nSpark's plan of {name}\n{plan.rstrip()}")
