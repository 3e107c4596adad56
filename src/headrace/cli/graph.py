"""`headrace graph`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from headrace.cli.loading import JobFile, ModeOption


def command(
    file: JobFile,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Draw to an .svg or .png file.")
    ] = None,
    mode: ModeOption = "micro-batch",
) -> None:
    """Draw a job: in the terminal, or to a picture."""
    import shutil

    from headrace.cli.loading import load
    from headrace.errors import InvalidOption
    from headrace.terminal import drawing
    from headrace.terminal.job import boxes_of

    if out is not None and out.suffix not in (".svg", ".png"):
        raise InvalidOption(f"cannot draw to {out}", hint="name a file that ends in .svg or .png")
    boxes, edges = boxes_of(load(file).explain(mode=mode))
    if out is None:
        print(drawing.text(boxes, edges, shutil.get_terminal_size((100, 40)).columns))
        return
    if out.suffix == ".svg":
        out.write_text(drawing.svg(boxes, edges), encoding="utf-8")
    else:
        out.write_bytes(drawing.png(boxes, edges))
    print(out)
