"""A user's file read, and the app in it found."""

from __future__ import annotations

import runpy
import sys
import traceback
from pathlib import Path
from typing import Annotated, Any

import typer

from headrace.app import App, Asked, while_loading
from headrace.errors import HeadraceError, JobError, MissingFile, NothingToRun, did_you_mean
from headrace.origin import Origin, is_ours

JobFile = Annotated[str, typer.Argument(metavar="FILE[:APP]", help="A Python file that makes an hr.App.")]
ModeOption = Annotated[
    str, typer.Option("--mode", "-m", help="batch, available-now, micro-batch or real-time.")
]
Master = Annotated[
    str | None,
    typer.Option(help="Where Spark runs: local[*], local-cluster[…], spark://…, yarn or k8s://…"),
]


def load(target: str, asked: Asked = Asked()) -> App:
    """The app that the file makes; `FILE:NAME` picks one of several."""
    path, name = _parted(target)
    if not path.is_file():
        raise MissingFile(
            f"there is no file {path}", hint="give the Python file of the job: headrace run job.py"
        )
    sys.path.insert(0, str(path.parent.resolve()))
    with while_loading(asked):
        names = _run(path)
    apps = {key: value for key, value in names.items() if isinstance(value, App)}
    if name is not None and name not in apps:
        raise NothingToRun(
            f"{path} has no app '{name}'", hint=did_you_mean(name, apps, "apps"), origin=_top(path)
        )
    if name is not None:
        return apps[name]
    distinct = list({id(app): app for app in apps.values()}.values())
    if not distinct:
        raise NothingToRun(f"{path} makes no app", hint="write app = hr.App('name') in it", origin=_top(path))
    if len(distinct) > 1:
        raise NothingToRun(
            f"{path} makes {len(distinct)} apps: {', '.join(apps)}",
            hint=f"say which: {path}:{next(iter(apps))}",
            origin=_top(path),
        )
    return distinct[0]


def _parted(target: str) -> tuple[Path, str | None]:
    file, colon, name = target.rpartition(":")
    if colon and file.endswith(".py") and name.isidentifier():
        return Path(file), name
    return Path(target), None


def _run(path: Path) -> dict[str, Any]:
    try:
        return runpy.run_path(str(path.resolve()), run_name="__headrace__")
    except HeadraceError:
        raise
    except SyntaxError as error:
        origin = Origin(error.filename or str(path), error.lineno or 1)
        raise JobError(f"SyntaxError: {error.msg}", origin=origin) from None
    except Exception as error:  # noqa: BLE001 - the user's own file may raise anything, and is told so
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not is_ours(frame.filename)]
        own = [frame for frame in frames if not frame.filename.startswith("<frozen")]
        origin = Origin(own[-1].filename, own[-1].lineno or 1) if own else _top(path)
        raise JobError(f"{type(error).__name__}: {error}", origin=origin, hint="mend that line") from None


def _top(path: Path) -> Origin:
    return Origin(str(path.resolve()), 1)
