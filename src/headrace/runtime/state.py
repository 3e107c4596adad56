"""What a job's operators keep, read from its checkpoints by a program of the kernel's, without Spark."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from headrace.errors import MissingFile, SetupError
from headrace.settings import Project
from headrace.spark.engine import LOG_CONFIG, last_line, log_folder
from headrace.supply.jars import jars, kernel_jar, pyspark_home
from headrace.supply.java import find_java
from headrace.supply.notice import notice

PROGRAM = "org.apache.spark.sql.headrace.Inspect"
OPENED = ("java.nio", "sun.nio.ch", "java.lang", "java.lang.invoke", "java.util", "sun.util.calendar")
"""Packages of Java that Spark reaches into."""
LOG = "state.log"
STEP = 0.2


def read_state(project: Project, root: str, *, limit: int, key: str | None = None) -> list[dict[str, Any]]:
    """The queries whose checkpoints lie under a folder, each with its operators, as of its last batch.

    It only reads, so that the job may run meanwhile. Times are microseconds since 1970.
    """
    log = log_folder(project) / LOG
    arguments = [root, str(limit), *([] if key is None else [key])]
    start = log.stat().st_size if log.exists() else 0
    with TemporaryDirectory(prefix="headrace-state-") as scratch:
        code, said = _run([*_java(log, scratch), PROGRAM, *arguments], log, f"reading the state in {root}")
    if code:
        raise SetupError(
            f"the state in {root} could not be read: {last_line(log, start)}", hint=f"read {log}"
        )
    found: list[dict[str, Any]] = json.loads(said.splitlines()[-1])
    if not found:
        raise MissingFile(f"there is no checkpoint in {root}", hint=_hint(root))
    return found


def _run(command: list[str], log: Path, doing: str) -> tuple[int, bytes]:
    with log.open("ab") as words, notice(doing) as shown:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=words)
        while True:
            try:
                said = process.communicate(timeout=STEP)[0]
                return process.returncode, said
            except subprocess.TimeoutExpired:
                shown.update()


def _java(log: Path, scratch: str) -> list[str]:
    ours = (str(jar) for jar in (*jars("spark"), kernel_jar()))
    path = os.pathsep.join([*ours, f"{pyspark_home() / 'jars'}/*"])
    return [
        str(find_java().executable),
        "-XX:TieredStopAtLevel=1",
        *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED),
        f"-Dlog4j2.configurationFile={LOG_CONFIG.as_uri()}",
        f"-Dheadrace.log={log}",
        f"-Djava.io.tmpdir={scratch}",
        "-cp",
        path,
    ]


def _hint(root: str) -> str:
    beside = Path(root).parent
    known = sorted(at.name for at in beside.iterdir() if at.is_dir()) if beside.is_dir() else []
    if known:
        return f"the jobs that have one are: {', '.join(known)}"
    return "run the job first: headrace run job.py"
