"""This Python package as a zip, so that it travels with a job to executors that do not have it."""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[1]


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
