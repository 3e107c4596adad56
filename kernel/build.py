"""Compile the kernel's Scala into one jar, with the compiler inside pyspark; only a JRE is needed."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headrace.supply.java import Java

HERE = Path(__file__).parent
SOURCES = HERE / "src"
JAR = HERE.parent / "src" / "headrace" / "supply" / "headrace-kernel.jar"
STAMP = "META-INF/headrace-sources"


def build(jar: Path = JAR) -> Path:
    """Build the jar, unless it is already that of these sources."""
    files = sorted(SOURCES.rglob("*.scala"))
    stamp = fingerprint(files)
    if stamp_of(jar) == stamp:
        return jar
    with tempfile.TemporaryDirectory() as folder:
        compile_scala(find_java(), files, Path(folder))
        pack(Path(folder), jar, stamp)
    return jar


def fingerprint(files: list[Path]) -> str:
    """A hash of what goes into the jar: the sources and the Spark that they are compiled against."""
    digest = hashlib.sha256(",".join(sorted(jar.name for jar in spark_jars().glob("spark-*.jar"))).encode())
    for file in files:
        digest.update(str(file.relative_to(SOURCES)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def stamp_of(jar: Path) -> str | None:
    if not jar.is_file():
        return None
    with zipfile.ZipFile(jar) as archive:
        return archive.read(STAMP).decode() if STAMP in archive.namelist() else None


def compile_scala(java: Java, files: list[Path], target: Path) -> None:
    # A newer Java knows the classes of Java 17 only where it carries `ct.sym`; the JRE wheel does not.
    knows_17 = java.major == 17 or (java.home / "lib" / "ct.sym").is_file()
    command = [
        *(str(java.executable), "-Xss8m", "-XX:TieredStopAtLevel=1", "-cp", f"{spark_jars()}/*"),
        *("scala.tools.nsc.Main", "-usejavacp", "-deprecation", "-feature", "-Wunused"),
        *("-nowarn" if "--nowarn" in sys.argv else "-Werror", "-release" if knows_17 else "-target", "17"),
        *("-d", str(target), *map(str, files)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"the kernel does not compile:\n{done.stdout}{done.stderr}")


def pack(classes: Path, jar: Path, stamp: str) -> None:
    """Zip the classes so that the same sources give the same bytes."""
    jar.parent.mkdir(parents=True, exist_ok=True)
    beside = jar.with_name(f"{jar.name}.{os.getpid()}")
    with zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as archive:
        entries = {"META-INF/MANIFEST.MF": b"Manifest-Version: 1.0\r\n\r\n", STAMP: stamp.encode()}
        for file in sorted(classes.rglob("*.class")):
            entries[str(file.relative_to(classes))] = file.read_bytes()
        for name, content in entries.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    beside.replace(jar)


def spark_jars() -> Path:
    spec = find_spec("pyspark")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("pyspark is not installed here: run 'make setup', or pip install pyspark==4.3.0")
    return Path(spec.submodule_search_locations[0]) / "jars"


def find_java() -> Java:
    """The same choice as at run time, made by the same code."""
    sys.path.insert(0, str(HERE.parent / "src"))
    from headrace.errors import SetupError
    from headrace.supply.java import find_java as choose

    try:
        return choose()
    except SetupError as error:
        raise SystemExit(f"the kernel cannot be built: {error}") from None


if __name__ == "__main__":
    print(build())
