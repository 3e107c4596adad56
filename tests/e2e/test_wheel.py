"""The wheel: built as a release is, installed where there is nothing of ours, and run there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from uv import find_uv_bin

import headrace

ROOT = Path(__file__).parents[2]
OURS = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYSPARK_", "SPARK_", "UV_PROJECT")

JOB = """
import headrace as hr

print(hr.__file__)
app = hr.App("errors")
errors = hr.memory("errors")
app.read(hr.files("pages", "json", schema="page string, status int")).where("status >= 500").write(errors)
if __name__ == "__main__":
    app.run(mode="batch")
    print(sorted(row["page"] for row in errors.rows))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the sdist, as `uv build` does: so that too has all that a wheel needs."""
    out = tmp_path_factory.mktemp("dist")
    uv("build", "--no-build-isolation", "--python", sys.executable, "--out-dir", str(out), str(ROOT))
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module")
def place(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder outside the checkout, with an environment that holds the wheel and what it depends on."""
    place = tmp_path_factory.mktemp("place")
    uv("venv", "--quiet", "--python", sys.executable, str(place / "env"))
    has_java = shutil.which("java") or os.environ.get("JAVA_HOME")
    wanted = f"headrace{'' if has_java else '[java]'} @ {wheel.as_uri()}"
    pins = str(ROOT / "requirements.lock")
    uv("pip", "install", "--quiet", "--python", str(place / "env"), "--constraint", pins, wanted)
    return place


def uv(*arguments: str) -> None:
    """From uv's own cache; from the network only what that has lost."""
    for offline in (["--offline"], []):
        done = run([find_uv_bin(), *offline, *arguments], Path("/"))
        if done.returncode == 0:
            return
    pytest.fail(f"uv {arguments[0]}: {done.stderr}")


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    return subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True, check=False)


def installed(place: Path, program: str, *arguments: str, folder: str = ".") -> str:
    """What a program of the new environment prints."""
    done = run([str(place / "env" / "bin" / program), *arguments], place / folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_carries_the_kernel_and_every_file_of_the_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if name.startswith("headrace/")}
    package = ROOT / "src"
    files = {
        path.relative_to(package).as_posix()
        for path in (package / "headrace").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert "headrace/supply/headrace-kernel.jar" in inside
    assert inside == files


def test_it_tells_its_version(place: Path) -> None:
    assert installed(place, "headrace", "--version") == f"headrace {headrace.__version__}\n"


def test_its_first_project_is_valid(place: Path) -> None:
    installed(place, "headrace", "init", "shop")
    assert "shop is valid" in installed(place, "headrace", "validate", "job.py", folder="shop")


def test_a_job_runs_on_spark(place: Path) -> None:
    (place / "pages").mkdir()
    visits = [
        {"page": "home", "status": 200},
        {"page": "cart", "status": 503},
        {"page": "pay", "status": 500},
    ]
    (place / "pages" / "one.json").write_text("\n".join(map(json.dumps, visits)), encoding="utf-8")
    (place / "errors.py").write_text(JOB, encoding="utf-8")
    where, *_, errors = installed(place, "python", "errors.py").splitlines()
    assert Path(where).is_relative_to(place / "env")
    assert errors == "['cart', 'pay']"
