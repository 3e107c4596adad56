"""The rules of the house that a linter cannot see."""

from __future__ import annotations

import ast
import re
import resource
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import headrace
from headrace.registry import EVERY, TRIGGERS, WINDOWS

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "headrace"
MODULES = sorted(PACKAGE.rglob("*.py"))

# Written in pieces, so that this file does not break its own rule.
HOSTS = [
    ".".join(parts)
    for parts in (("pypi", "org"), ("pythonhosted", "org"), ("maven", "org"), ("npmjs", "org"))
]
FOLDERS = [
    "/".join(("", *parts)) for parts in (("work", ""), ("root", ""), ("Users", ""), ("home", r"\w+", ""))
]
FORBIDDEN = re.compile("|".join([*map(re.escape, HOSTS), *(rf"(?<![\w.}}*]){folder}" for folder in FOLDERS)]))


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_modules_are_short() -> None:
    assert [named(module) for module in MODULES if len(text(module).splitlines()) >= 400] == []


def test_functions_are_short() -> None:
    functions = ((module, node) for module in MODULES for node in ast.walk(tree(module)))
    long = (
        f"{named(at)}: {f.name}" for at, f in functions if isinstance(f, ast.FunctionDef) and length(f) >= 40
    )
    assert list(long) == []


def test_modules_say_what_they_are() -> None:
    silent = [named(module) for module in MODULES if not ast.get_docstring(tree(module))]
    assert [name for name in silent if not name.endswith("__main__.py")] == []


def test_no_module_is_a_drawer_of_odds_and_ends() -> None:
    assert [named(module) for module in MODULES if re.search("util|helper|misc|common", module.stem)] == []


def text(module: Path) -> str:
    return module.read_text(encoding="utf-8")


def tree(module: Path) -> ast.Module:
    return ast.parse(text(module))


def length(function: ast.FunctionDef) -> int:
    """Its lines, without those of its signature and its docstring."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return (function.end_lineno or 0) - body[0].lineno + 1 if body else 0


def test_the_public_names_are_those_that_type_checkers_see() -> None:
    seen = {
        alias.asname or alias.name
        for block in tree(PACKAGE / "__init__.py").body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for statement in block.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }
    assert seen == set(headrace.__all__)


def test_the_public_names_are_those_of_the_registry() -> None:
    homes = set(headrace._HOMES)
    found = [name for registry in EVERY for name in registry.names()]
    assert sorted([*homes, *found]) == sorted(headrace.__all__)


@pytest.mark.parametrize("name", headrace.__all__)
def test_a_public_name_is_there_and_explained(name: str) -> None:
    assert getattr(headrace, name).__doc__


def test_every_page_of_the_docs_is_in_the_sites_contents() -> None:
    site = tomllib.loads(text(ROOT / "zensical.toml"))
    docs = ROOT / "docs"
    assert sorted(pages_of(site["project"]["nav"])) == sorted(
        path.relative_to(docs).as_posix() for path in docs.rglob("*.md")
    )


def pages_of(entry: Any) -> Iterator[str]:
    """The pages below an entry of the contents: a page, a list of entries, or some of either by name."""
    if isinstance(entry, str):
        yield entry
    else:
        for part in entry.values() if isinstance(entry, dict) else entry:
            yield from pages_of(part)


def test_every_window_has_a_page_and_every_trigger_is_on_theirs() -> None:
    pages = {path.stem for path in (ROOT / "docs" / "windows").glob("*.md")} - {"index"}
    assert sorted(pages) == sorted(WINDOWS.names())
    told = text(ROOT / "docs" / "triggers.md")
    assert [name for name in TRIGGERS.names() if f"`hr.{name}(" not in told] == []


def test_the_lock_pins_by_hash_and_names_no_server() -> None:
    pins = re.split(r"\n(?! )", text(ROOT / "requirements.lock").strip())
    assert [
        pin.split()[0] for pin in pins if not re.match(r"[\w.-]+==\S+ .*--hash=sha256:", pin, re.DOTALL)
    ] == []
    assert "://" not in text(ROOT / "requirements.lock")


def test_no_file_names_a_registry_or_a_folder_of_one_machine() -> None:
    assert list(breaches()) == []


def breaches() -> Iterator[str]:
    for file in tracked():
        for number, line in enumerate(file.read_text(encoding="utf-8", errors="ignore").splitlines(), 1):
            if found := FORBIDDEN.search(line):
                yield f"{named(file)}:{number}: {found[0]}"


def tracked() -> list[Path]:
    """What is committed, or would be."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("this is no git checkout")
    return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_importing_headrace_is_quick_and_imports_neither_spark_nor_kafka() -> None:
    heavy = "{'pyspark', 'py4j', 'pandas', 'pyarrow', 'confluent_kafka', 'rich', 'typer'}"
    code = f"import sys, headrace; sys.exit(' '.join({heavy} & set(sys.modules)) or 0)"
    assert least_of(3, [sys.executable, "-c", code]) < 0.3


def test_help_is_quick() -> None:
    assert least_of(3, [sys.executable, "-m", "headrace.cli", "--help"]) < 0.4


def least_of(tries: int, command: list[str]) -> float:
    """The least time of several, in seconds of processor: what a person waits where nothing else runs."""
    return min(seconds(command) for _ in range(tries))


def seconds(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stderr
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
