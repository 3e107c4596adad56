"""The Spark session that jobs run in: the one that is there, or one of our own."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from headrace.errors import SetupError
from headrace.settings import Project
from headrace.spark import package
from headrace.spark.columns import forget
from headrace.spark.engine import launch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DEFAULT_MASTER = "local[*]"

REAL_TIME_SLOTS = 64

STREAMING_CONF = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.streaming.stateStore.checkpointFormatVersion": "2",
    "spark.sql.streaming.noDataProgressEventInterval": "1000",
    "spark.shuffle.streaming.networkBufferMaxWaitTimeMs": "1",
    "spark.sql.streaming.metricsEnabled": "false",
    "spark.sql.ui.retainedExecutions": "20",
}
"""What every streaming job of ours is run with; `[spark.conf]` in headrace.toml overrules it."""


def active() -> SparkSession | None:
    """The session of this process, if there is one."""
    from pyspark.sql import SparkSession

    forget()
    return SparkSession.getActiveSession()


def session(
    name: str,
    project: Project,
    *,
    master: str | None = None,
    conf: Mapping[str, str] | None = None,
    real_time: bool = False,
) -> SparkSession:
    """The active session, or a new one on `master` (or HEADRACE_SPARK_MASTER, headrace.toml, local[*]).

    In real time all tasks of a query run at once, and wait for rows most of the time: `local[*]` then gets
    more slots than there are cores.
    """
    from pyspark.sql import SparkSession

    running = active()
    if running is not None:
        _same_master(running, master)
        return running
    launching = launch_conf(project, master, conf)
    master = launching["spark.master"]
    settings = {**_conf(master), **launching}
    if real_time and master == DEFAULT_MASTER:
        master = f"local[{max(REAL_TIME_SLOTS, os.cpu_count() or 1)}]"
    launched = launch(project, launching)
    if master.startswith(("yarn", "k8s")) and launched.get("spark.master") != master:
        raise SetupError(
            f"Spark's JVM was started for {launched.get('spark.master')}, and {master} needs one of its own",
            hint="say the master earlier: hr.App(…, master=…), headrace run --master, or headrace.toml",
        )
    builder = SparkSession.builder.master(master).appName(name)
    for key, value in (settings | {"spark.master": master}).items():
        builder = builder.config(key, value)
    try:
        spark = builder.getOrCreate()
    except Exception as error:
        forget()
        raise SetupError(
            f"Spark did not start on {master}: {str(error).strip().splitlines()[-1]}",
            hint="check --master; 'local[*]' runs on this machine alone",
        ) from None
    if not master.startswith("local["):
        package.ship(spark)
    return spark


def launch_conf(project: Project, master: str | None, conf: Mapping[str, str] | None) -> dict[str, str]:
    """What the JVM is started with: the master as asked for, and the project's and the job's own settings."""
    own = {str(key): str(value) for key, value in project.section("spark").get("conf", {}).items()}
    chosen = master or project.get("spark", "master") or DEFAULT_MASTER
    return {**own, **(conf or {}), "spark.master": str(chosen)}


def _conf(master: str) -> dict[str, str]:
    conf = {**STREAMING_CONF, "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    cores = local_cores(master)
    if master.startswith("local"):
        conf |= {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
    if cores:
        conf["spark.sql.shuffle.partitions"] = str(cores)
    return conf


def local_cores(master: str) -> int | None:
    """How many tasks run side by side on a local master, and None for any other.

    >>> local_cores("local[3]"), local_cores("local"), local_cores("yarn")
    (3, 1, None)
    """
    if master == "local":
        return 1
    if found := re.fullmatch(r"local\[(\d+|\*)(?:,\s*\d+)?\]", master):
        return (os.cpu_count() or 1) if found[1] == "*" else int(found[1])
    if found := re.fullmatch(r"local-cluster\[\s*(\d+)\s*,\s*(\d+)\s*,\s*\d+\s*\]", master):
        return int(found[1]) * int(found[2])
    return None


def _same_master(spark: SparkSession, master: str | None) -> None:
    if master is not None and spark.sparkContext.master != master:
        raise SetupError(
            f"Spark runs on {spark.sparkContext.master} already, so the job cannot go to {master}",
            hint="stop that session first, or give the master when it is started",
        )
