"""The self-test: what is wrong with this machine, each in one sentence with its fix."""

from __future__ import annotations

import importlib.metadata
import re
import socket
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from headrace.errors import HeadraceError, PortTaken, SetupError
from headrace.settings import cache_folder
from headrace.supply.disk import free_bytes, require_room
from headrace.supply.jars import JarSet, is_fetched, jars, kernel_jar, locked, pyspark_home
from headrace.supply.java import find_java

Verdict = Literal["ok", "warn", "fail"]
# PySpark, and the Kafka source that was run with it in micro-batch and real time.
TRIED = ("4.3.0", "4.2.0")


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found: a verdict, a sentence, and the fix where something is wrong."""

    check: str
    verdict: Verdict
    message: str
    fix: str | None = None
    error: HeadraceError | None = None

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "error": type(self.error).__name__ if self.error else None}


def self_test(*, broker_port: int | None = None, folder: Path | None = None) -> list[Finding]:
    """Every check, in the order in which a first run would meet them."""
    return list(_checks(broker_port, folder or Path.cwd()))


def require_fit(*, broker_port: int | None = None, folder: Path | None = None) -> None:
    """Raise the first thing that is wrong."""
    for finding in _checks(broker_port, folder or Path.cwd()):
        if finding.error is not None:
            raise finding.error


def _checks(broker_port: int | None, folder: Path) -> Iterator[Finding]:
    java = _check("java", lambda: f"Java {(found := find_java()).version} in {found.home}")
    yield java
    yield _check("pyspark", lambda: f"PySpark {_pyspark_version()}")
    yield _check("disk", lambda: _room(cache_folder(), "the cache"))
    yield _check("project disk", lambda: _room(folder, "the project"))
    if java.verdict == "ok":
        yield _check("spark jars", lambda: _jars("spark"))
        yield _check("broker jars", lambda: _jars("broker"))
    yield _check("kernel", lambda: f"the kernel's jar is {kernel_jar()}")
    yield versions(_pyspark_version(), kafka_source_version())
    if broker_port is not None:
        yield _check("port", lambda: _port(broker_port))


def _check(name: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding(name, "ok", look())
    except HeadraceError as error:
        return Finding(name, "fail", error.message, error.hint, error)
    except OSError as problem:
        wrong = SetupError(f"{name}: {problem}", hint="mend that, then run `headrace doctor` again")
        return Finding(name, "fail", wrong.message, wrong.hint, wrong)


def _room(folder: Path, what: str) -> str:
    require_room(folder)
    return f"{free_bytes(folder) // 1_000_000_000} GB free for {what}"


def _jars(name: JarSet) -> str:
    already = is_fetched(name)
    found = jars(name)
    return f"{len(found)} jars in {found[0].parent}{'' if already else ', fetched now'}"


def _port(port: int) -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind(("127.0.0.1", port))
        except OSError:
            raise PortTaken(
                f"port {port} is taken by another program",
                hint="stop that program, or give the broker another port: headrace up --port N",
            ) from None
    return f"port {port} is free"


def versions(pyspark: str, kafka_source: str) -> Finding:
    """Whether this PySpark and this Kafka source were ever run together."""
    if (pyspark, kafka_source) == TRIED:
        return Finding(
            "versions", "ok", f"Kafka source {kafka_source} is known to work with PySpark {pyspark}"
        )
    return Finding(
        "versions",
        "warn",
        f"Kafka source {kafka_source} with PySpark {pyspark} is untried; {TRIED[1]} with {TRIED[0]} works",
        f"pip install 'pyspark[sql]=={TRIED[0]}'",
    )


def kafka_source_version() -> str:
    """The version of the pinned `spark-sql-kafka`."""
    found = (re.fullmatch(r"spark-sql-kafka-0-10_2\.13-(.+)\.jar", file) for file in locked("spark"))
    return next(match[1] for match in found if match)


def _pyspark_version() -> str:
    pyspark_home()
    return importlib.metadata.version("pyspark")
