"""The environments of peers: made once by uv, under the user's cache, with pinned versions."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "headrace" / "bench"
PROGRAMS = Path(__file__).with_name("programs")
TOOL = Path(sys.executable).with_name("uv")


class PeerUnavailable(RuntimeError):
    """The peer could not be installed, or did not finish its work."""


@dataclass(frozen=True)
class Peer:
    """A system of others: what is installed for it, and its program."""

    name: str
    packages: tuple[str, ...]
    program: str
    jars: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        return CACHE / self.name

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def install(self) -> None:
        """Make the environment, unless it is there with these very packages."""
        pins = "\n".join((*self.packages, *self.jars)) + "\n"
        told = self.folder / "pins.txt"
        if told.is_file() and told.read_text(encoding="utf-8") == pins:
            return
        print(f"  installing {self.packages[0]} into {self.folder}", flush=True)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        self._do([str(TOOL), "venv", "--quiet", "--python", sys.executable, str(self.folder)])
        install = [str(TOOL), "pip", "install", "--quiet", "--python", str(self.python)]
        self._do([*install, "--prerelease", "allow", *self.packages])
        for jar in self.jars:
            _fetch(jar, self.folder / "jars")
        told.write_text(pins, encoding="utf-8")

    def run(self, job: dict[str, Any], folder: Path, limit: float) -> dict[str, Any]:
        """Run the peer's program with a job (plain data), and give what it tells on its last line."""
        self.install()
        asked = folder / f"{self.name}.json"
        asked.write_text(json.dumps(job | {"jars": str(self.folder / "jars")}), encoding="utf-8")
        said = folder / f"{self.name}.log"
        with said.open("w", encoding="utf-8") as log:
            try:
                done = subprocess.run(
                    [str(self.python), str(PROGRAMS / self.program), str(asked)],
                    stdout=subprocess.PIPE,
                    stderr=log,
                    timeout=limit,
                    cwd=folder,
                    env=bare_environment(),
                    check=False,
                )
            except subprocess.TimeoutExpired:
                raise PeerUnavailable(f"not done in {limit:.0f} s") from None
        lines = done.stdout.decode(errors="replace").strip().splitlines()
        if done.returncode or not lines:
            raise PeerUnavailable(f"it failed: {_last(said)}")
        told: dict[str, Any] = json.loads(lines[-1])
        return told

    def _do(self, command: list[str]) -> None:
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode:
            raise PeerUnavailable(f"not installed: {done.stderr.decode(errors='replace').strip()[-300:]}")


def bare_environment() -> dict[str, str]:
    """Nothing of this Python's own, so that peers see only what is theirs."""
    away = ("PYTHON", "VIRTUAL_ENV", "SPARK", "PYSPARK", "JAVA_TOOL")
    return {name: value for name, value in os.environ.items() if not name.startswith(away)}


def _last(log: Path) -> str:
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    telling = [line for line in lines if "rror" in line or "xception" in line]
    return (telling or lines or ["it said nothing"])[-1][:300]


def _fetch(jar: str, folder: Path) -> None:
    """A jar of Maven's (group:name:version), by the Ivy that comes with PySpark."""
    from headrace.supply.jars import pyspark_home
    from headrace.supply.java import find_java

    folder.mkdir(parents=True, exist_ok=True)
    (ivy,) = (pyspark_home() / "jars").glob("ivy-*.jar")
    group, name, version = jar.split(":")
    pattern = folder / "[artifact]-[revision].[ext]"
    command = [str(find_java().path), "-jar", str(ivy), "-dependency", group, name, version]
    done = subprocess.run(
        [*command, "-notransitive", "-types", "jar", "-confs", "default", "-retrieve", str(pattern)],
        capture_output=True,
        check=False,
    )
    if not list(folder.glob(f"{name}-{version}*.jar")):
        raise PeerUnavailable(f"{jar} was not fetched: {done.stdout.decode(errors='replace')[-300:]}")
