"""This Python package as a zip, so that it travels with a job to executors that do not have it."""

from __future__ import annotations

import sys
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from headrace.origin import is_users
from headrace.plan.nodes import ApplyRows, Job, MapRows, Reduce, all_nodes
from headrace.plan.process import Process
from headrace.settings import Project

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[1]


def travel(project: Project, job: Job) -> None:
    """Let functions of the user's own modules travel with the job: they are pickled whole, not by name.

    Its own are those of the project, and those that the job's functions lie in.
    """
    from pyspark.cloudpickle import register_pickle_by_value

    root = project.root.resolve()
    called = set()
    for node in all_nodes(job):
        if isinstance(node, MapRows | Reduce | ApplyRows):
            called.add(node.function.__module__)
        elif isinstance(node, Process):
            called |= {of.__module__ for of in (node.named, node.on_timer, node.state.kind) if of is not None}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if not file or module.__name__ == "__main__":
            continue
        if _own(Path(file), root) or (name in called and is_users(file)):
            register_pickle_by_value(module)


def _own(file: Path, root: Path) -> bool:
    if not file.is_relative_to(root) or file.is_relative_to(ROOT):
        return False
    return not {"site-packages", ".venv", "venv"} & set(file.relative_to(root).parts)


def ship(spark: SparkSession) -> None:
    """Hand the package to every executor of the session."""
    folder = Path(tempfile.mkdtemp(prefix="headrace-"))
    spark.sparkContext.addPyFile(str(zipped(folder / "headrace.zip")))


def zipped(path: Path) -> Path:
    """The package's modules in a zip that Python can import from."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(ROOT.rglob("*.py")):
            archive.write(file, Path("headrace") / file.relative_to(ROOT))
    return path
