"""`headrace jars`."""

from __future__ import annotations

from typing import Annotated

import typer

from headrace.cli.options import AsJson


def command(
    comma: Annotated[
        bool, typer.Option("--comma", help="On one line, as spark-submit --jars takes them.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Print the paths of the jars that Headrace adds to Spark."""
    from headrace.cli.output import print_json
    from headrace.supply.jars import jars, kernel_jar

    paths = [str(path) for path in (*jars("spark"), kernel_jar())]
    if json:
        print_json(paths)
    else:
        print(("," if comma else "\n").join(paths))
