"""`headrace state`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from headrace.cli.options import AsJson, ProjectFolder

TIMES = ("watermark", "clock", "heard", "start", "end")


def command(
    job: Annotated[
        str,
        typer.Argument(
            metavar="JOB", help="The job's name, its Python file, or the folder of its checkpoint."
        ),
    ],
    key: Annotated[str | None, typer.Option(help="Show this key alone; several columns with commas.")] = None,
    limit: Annotated[int, typer.Option(min=0, help="How many keys of each operator to show.")] = 20,
    checkpoint: Annotated[
        str | None, typer.Option(metavar="DIR", help="Where the job was told to keep its checkpoints.")
    ] = None,
    project: ProjectFolder = None,
    json: AsJson = False,
) -> None:
    """Show what a job keeps, as of its last batch, while it runs or after: operators, keys, windows."""
    from headrace.cli.output import print_json
    from headrace.runtime.state import read_state

    settings, root = _place(job, checkpoint, project)
    queries = [_timed(query) for query in read_state(settings, root, limit=limit, key=key)]
    if json:
        print_json(queries)
        return
    for at, query in enumerate(queries):
        if at:
            print()
        _show(query, key)


def _place(job: str, checkpoint: str | None, folder: Path | None) -> tuple[Any, str]:
    """The project, and the folder in which the job's checkpoints lie."""
    from headrace.cli.loading import load
    from headrace.cli.options import project_at
    from headrace.runtime.checkpoint import root_of

    if job.endswith(".py") or ".py:" in job:
        app = load(job)
        return app.project, root_of(app.project, app.name, checkpoint or app.checkpoint)
    project = project_at(folder)
    if checkpoint is None and ("://" in job or Path(job).is_dir()):
        return project, job if "://" in job else str(Path(job).resolve())
    return project, root_of(project, job, checkpoint)


def _timed(content: Any) -> Any:
    """The same with its times as text, in UTC."""
    from headrace.time import from_epoch_micros

    if isinstance(content, list):
        return [_timed(each) for each in content]
    if not isinstance(content, dict):
        return content
    return {
        name: from_epoch_micros(value).isoformat()
        if name in TIMES and isinstance(value, int)
        else _timed(value)
        for name, value in content.items()
    }


def _show(query: dict[str, Any], key: str | None) -> None:
    batch = query.get("batch")
    print(f"query {query['query']}: " + ("no batch yet" if batch is None else f"as of batch {batch}"))
    for operator in query["operators"]:
        print(f"\n{operator['operator']}")
        if operator["kept_by"] != "the kernel":
            print("  kept by an operator that is not a window of the kernel's: this command does not read it")
            continue
        _operator(operator, key)


def _operator(operator: dict[str, Any], key: str | None) -> None:
    from headrace.terminal.figures import count
    from headrace.terminal.tables import print_rows

    print(
        f"  {count(operator['key_count'])} keys in {operator['shards']} shards,"
        f" {_bytes(operator['bytes'])} of state, {_bytes(operator['bytes_on_disk'])} on disk,"
        f" watermark {_moment(operator.get('watermark'))}"
    )
    if operator["sources"]:
        print()
        print_rows([_source(source) for source in operator["sources"]])
    rows = [row for kept in operator["keys"] for row in _rows(kept)]
    print()
    if rows:
        print_rows(rows)
    else:
        print("no such key" if key is not None and operator["key_count"] else "no keys")
    shown = len(operator["keys"])
    if key is None and operator["key_count"] > shown:
        print(f"… {operator['key_count'] - shown} more keys; --limit shows more, --key one")


def _source(source: dict[str, Any]) -> dict[str, Any]:
    name = source["source"]
    part = source.get("partition", source.get("shard"))
    topic = source.get("topic")
    called = name if topic in (None, name) else f"{name} {topic}"
    return {
        "source": called if part is None else f"{called}-{part}",
        "watermark": _moment(source.get("watermark")),
        "last heard": _moment(source.get("heard")),
        "idle": "idle" if source["idle"] else "",
    }


def _rows(kept: dict[str, Any]) -> list[dict[str, Any]]:
    """A line a window; a key that keeps none has a line too."""
    of = {**kept["key"], "shard": kept["shard"], "bytes": kept["bytes"]}
    return [
        {
            **of,
            "from": _moment(window.get("start")),
            "to": _moment(window.get("end")),
            "rows": window.get("rows"),
            "panes": window["panes"],
            "": "complete" if window["complete"] else "open",
        }
        for window in kept["windows"] or [{"panes": None, "complete": False}]
    ]


def _moment(text: str | None) -> str:
    return "-" if text is None else text.removesuffix("+00:00").replace("T", " ")


def _bytes(size: int) -> str:
    from headrace.terminal.figures import count

    return f"{count(size)}B"
