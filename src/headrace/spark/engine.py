"""The JVM that Spark lives in: started once a process, with our jars, its words kept in a file."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headrace.errors import SetupError
from headrace.settings import Project
from headrace.supply.classes import archive_of, sharing
from headrace.supply.jars import jars, kernel_jar, pyspark_home
from headrace.supply.java import find_java, spark_java_home

if TYPE_CHECKING:
    from pyspark.sql import Column

LOG = "spark.log"
JAVA_OPTIONS = "spark.driver.extraJavaOptions"
LOG_CONFIG = Path(__file__).with_name("log4j2.properties")


_launched: dict[str, str] = {}


def launch(project: Project, conf: Mapping[str, str]) -> Mapping[str, str]:
    """Start the JVM, unless this process has one; gives the settings that it was started with."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    if SparkContext._gateway is not None:
        return _launched
    # It logs each call that fails, partly in the root's name; we tell of it once, and in a sentence.
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    logging.getLogger().addFilter(lambda record: "py4j" not in record.pathname)
    logs = log_folder(project)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    os.environ["JAVA_HOME"] = str(spark_java_home())
    settings = SparkConf(loadDefaults=False)
    for key, value in _launch_conf(logs, conf).items():
        settings.set(key, value)
    said = logs / "jvm.log"
    with said.open("ab") as log:
        start = log.tell()
        try:
            gateway = launch_gateway(settings, {"stderr": log})
        except Exception as error:
            raise SetupError(
                f"Spark's JVM did not start: {last_line(said, start) or error}",
                hint=f"read {said}; `headrace doctor` checks this machine",
            ) from None
    SparkContext._ensure_initialized(gateway=gateway)
    _launched.update(conf)
    return _launched


def _launch_conf(logs: Path, conf: Mapping[str, str]) -> dict[str, str]:
    """What was asked for, on top of our jars, our log, and the archive of Spark's classes."""
    options = [
        f"-Dlog4j2.configurationFile={LOG_CONFIG.as_uri()}",
        f'"-Dheadrace.log={logs / LOG}"',
        _sharing(),
        conf.get(JAVA_OPTIONS, ""),
    ]
    ours = {
        "spark.jars": ",".join(str(jar) for jar in (*jars("spark"), kernel_jar())),
        "spark.driver.memory": os.environ.get("HEADRACE_DRIVER_MEMORY", "2g"),
    }
    return {**ours, **conf, JAVA_OPTIONS: " ".join(filter(None, options))}


def _sharing() -> str:
    java = find_java()
    spark = pyspark_home()
    return sharing(java, archive_of(java, "spark", [str(spark), str(spark.stat().st_mtime_ns)]))


def log_folder(project: Project) -> Path:
    """The folder of this project's logs; git is told to leave it alone."""
    logs = project.state / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    ignore = project.state / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")
    return logs


def last_line(log: Path, start: int) -> str:
    with log.open("rb") as file:
        file.seek(start)
        lines = [line.strip() for line in file.read().decode(errors="replace").splitlines() if line.strip()]
    telling = [line for line in lines if "rror" in line or "xception" in line]
    return (telling or lines or [""])[0]


def jvm() -> Any:
    """The JVM's packages; somebody has launched it before."""
    from pyspark import SparkContext

    return SparkContext._jvm


def kernel() -> Any:
    """The kernel's Scala objects, or why they are not there."""
    found = jvm().org.apache.spark.sql.headrace
    if type(found.Plans).__name__ == "JavaPackage":
        raise SetupError(
            "this Spark was started without Headrace's jars",
            hint="let Headrace start Spark, or start it with: --jars $(headrace jars --comma)",
        )
    return found


def as_column(made: Any) -> Column:
    """A JVM column as Python's."""
    from pyspark.sql.classic.column import Column as Classic

    return Classic(made)
