"""The pinned jars: fetched once with the Ivy that PySpark carries, checked by SHA-256, kept for ever."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Literal, NoReturn

from headrace.errors import DiskFull, JarMismatch, NoNetwork, SetupError, did_you_mean
from headrace.settings import cache_folder
from headrace.supply.java import find_java
from headrace.supply.notice import Notice, notice

JarSet = Literal["spark", "broker"]
_HERE = Path(__file__).parent
_STAMP = "stamp.json"


def jars(name: JarSet) -> list[Path]:
    """The jars of that set, fetched if this is the first time on this machine."""
    pins = locked(name)
    folder = folder_of(name)
    if not folder.is_dir():
        _fetch(name, folder)
    _check(name, folder, pins)
    return [folder / file for file in pins]


def classpath(name: JarSet) -> str:
    """The jars of that set as Java's `-cp` takes them."""
    return os.pathsep.join(str(jar) for jar in jars(name))


def kernel_jar() -> Path:
    """The jar of Headrace's own Scala."""
    jar = _HERE / "headrace-kernel.jar"
    if not jar.is_file():
        raise SetupError(
            f"the kernel has not been built: {jar} is missing", hint="run `make kernel` in the checkout"
        )
    return jar


def pyspark_home() -> Path:
    """The folder of the installed PySpark, found without importing it."""
    spec = importlib.util.find_spec("pyspark")
    if spec is None or not spec.submodule_search_locations:
        raise SetupError("PySpark is not installed in this Python", hint="pip install 'pyspark[sql]==4.3.0'")
    return Path(next(iter(spec.submodule_search_locations)))


def folder_of(name: JarSet) -> Path:
    """Where the set is kept: its name, and a hash of what it must hold."""
    content = json.dumps(locked(name), sort_keys=True).encode()
    return cache_folder() / "jars" / f"{name}-{hashlib.sha256(content).hexdigest()[:12]}"


def is_fetched(name: JarSet) -> bool:
    return folder_of(name).is_dir()


@cache
def locked(name: str) -> dict[str, str]:
    """File name to SHA-256, as `jars.lock` has them."""
    sets: dict[str, dict[str, str]] = {}
    current: dict[str, str] = {}
    for line in (_HERE / "jars.lock").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            current = sets.setdefault(line.strip("[] "), {})
        elif line.strip() and not line.startswith("#"):
            digest, file = line.split()
            current[file] = digest
    if name not in sets:
        raise SetupError(f"no set of jars '{name}'", hint=did_you_mean(name, sets, "sets"))
    return sets[name]


def _check(name: JarSet, folder: Path, pins: dict[str, str]) -> None:
    """Compare sizes and times with the stamp, and hash again only what differs."""
    stamp = _stamp(folder, pins)
    try:
        known = json.loads((folder / _STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        known = {}
    if stamp == known:
        return
    for file, digest in pins.items():
        if stamp[file] != known.get(file):
            _verify(name, folder / file, digest)
    (folder / _STAMP).write_text(json.dumps(stamp), encoding="utf-8")


def _stamp(folder: Path, pins: dict[str, str]) -> dict[str, list[int] | None]:
    return {file: _state(folder / file) for file in pins}


def _state(file: Path) -> list[int] | None:
    try:
        status = file.stat()
    except FileNotFoundError:
        return None
    return [status.st_size, status.st_mtime_ns]


def _verify(name: JarSet, file: Path, digest: str) -> None:
    hint = f"delete {file.parent} and run this again: the jars will be fetched anew"
    if not file.is_file():
        raise JarMismatch(f"the jar {file.name} of the {name} set is missing", hint=hint)
    with file.open("rb") as content:
        found = hashlib.file_digest(content, "sha256").hexdigest()
    if found != digest:
        raise JarMismatch(
            f"the jar {file.name} of the {name} set is not the one that was pinned "
            f"(SHA-256 {found[:12]}…, pinned {digest[:12]}…)",
            hint=hint,
        )


def _fetch(name: JarSet, folder: Path) -> None:
    """Fetch beside the folder, verify, rename into place; one process at a time."""
    with _room_errors(folder), _lock(folder.with_name(f"{name}.lock")):
        if folder.is_dir():
            return
        stage = folder.with_name(f"{folder.name}.part")
        shutil.rmtree(stage / "jars", ignore_errors=True)
        pins = locked(name)
        with notice(f"fetching {len(pins)} jars for {_purpose(name)}, once") as shown:
            _run_ivy(name, stage, len(pins), shown)
        for file, digest in pins.items():
            _verify(name, stage / "jars" / file, digest)
        (stage / "jars" / _STAMP).write_text(json.dumps(_stamp(stage / "jars", pins)), encoding="utf-8")
        (stage / "jars").rename(folder)
        shutil.rmtree(stage, ignore_errors=True)


def _purpose(name: JarSet) -> str:
    return "the broker" if name == "broker" else "Kafka in Spark"


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


@contextmanager
def _room_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        _disk_full(folder)


def _disk_full(folder: Path) -> NoReturn:
    raise DiskFull(
        f"no room left on the disk of {folder.parent} for the jars (60 MB)",
        hint="free some room, or point HEADRACE_CACHE at a folder on another disk",
    ) from None


def _run_ivy(name: JarSet, stage: Path, total: int, shown: Notice) -> None:
    """Let Ivy fetch into `stage/jars`; its own cache stays in `stage` so that a broken try goes on later."""
    ivy = next((pyspark_home() / "jars").glob("ivy-*.jar"), None)
    if ivy is None:
        raise SetupError(
            "this PySpark carries no Ivy jar", hint="pip install --force-reinstall pyspark==4.3.0"
        )
    settings = os.environ.get("HEADRACE_IVY_SETTINGS") or str(_HERE / "ivysettings.xml")
    stage.mkdir(parents=True, exist_ok=True)
    command = [
        *(str(find_java().executable), "-Djava.net.useSystemProxies=true", "-jar", str(ivy)),
        *("-settings", settings, "-ivy", str(_HERE / "ivy.xml"), "-confs", name, "-types", "jar"),
        *("-cache", str(stage / "ivy"), "-retrieve", f"{stage}/jars/[artifact]-[revision].[ext]"),
    ]
    said: list[str] = []
    got = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as ivy_run:
        assert ivy_run.stdout is not None
        for line in ivy_run.stdout:
            said.append(line)
            got += "[SUCCESSFUL" in line
            shown.update(f"{got}/{total}")
    if ivy_run.returncode != 0 or not (stage / "jars").is_dir():
        _explain("".join(said), name, stage)


def _explain(said: str, name: JarSet, stage: Path) -> NoReturn:
    """Turn what Ivy said into one sentence and a fix."""
    again = "run this again (what was fetched is kept)"
    if "No space left" in said or "Disk quota exceeded" in said:
        _disk_full(stage)
    if reason := re.search(r"Server access error.*\((?:[\w.]*\.)?(\w+): ", said):
        hint = f"connect to the network and {again}, or let HEADRACE_IVY_SETTINGS name a mirror's settings"
        if reason[1].startswith("SSL"):
            hint = (
                "this Java does not trust the network's certificate: set "
                f"JAVA_TOOL_OPTIONS=-Djavax.net.ssl.trustStore=FILE to a store that has it, and {again}"
            )
        raise NoNetwork(
            f"the jars for {_purpose(name)} are fetched once, and no registry can be reached ({reason[1]})",
            hint=hint,
        )
    missing = re.findall(r":: (\S+)#(\S+);(\S+): not found", said)
    listed = ", ".join(f"{module} {revision}" for _, module, revision in missing[:3])
    if listed:
        raise NoNetwork(
            f"the registry does not have {listed}, which {_purpose(name)} needs",
            hint=f"point HEADRACE_IVY_SETTINGS at an ivysettings.xml whose registry has them, and {again}",
        )
    last = " | ".join(line.strip() for line in said.splitlines()[-5:] if line.strip())
    raise SetupError(f"fetching the jars for {_purpose(name)} failed: {last}", hint=again)
