"""This Python package as a zip, so that it travels with a job to executors that do not have it."""

from __future__ import annotations

import sys
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from headrace.settings import Project

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[1]


def travel(project: Project) -> None:
    """Let functions of the project's own modules travel with the job: they are pickled whole, not by name."""
    from pyspark.cloudpickle import register_pickle_by_value

    root = project.root.resolve()
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file and module.__name__ != "__main__" and _own(Path(file), root):
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
