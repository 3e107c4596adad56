"""`headrace init`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

TEMPLATE = Path(__file__).parent / "template"


def command(
    name: Annotated[str, typer.Argument(help="The project's name, and its new folder.")],
) -> None:
    """Write a project that runs: a job, a test that drives its time, and settings."""
    from headrace.errors import InvalidOption

    folder = Path(name)
    if folder.exists() and any(folder.iterdir()):
        raise InvalidOption(f"{folder} is there already", hint="choose another name, or empty the folder")
    title = folder.resolve().name
    for source in sorted(TEMPLATE.rglob("*.txt")):
        target = folder / source.relative_to(TEMPLATE).with_suffix("")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(source.read_text(encoding="utf-8").replace("{{name}}", title), encoding="utf-8")
    print(f"{folder} is ready; next:\n\n  cd {folder}\n  headrace run job.py\n  pytest")
