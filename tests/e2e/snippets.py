"""The pages' own programs and commands, run in the order in which they stand.

A block with a title is written to a file of that name. `python` blocks without one are run, and a `text`
block after one is what it prints. `console` blocks are commands after `$ ` with what they print; `headrace`
and `python FILE` run in this process, as a Spark for each would take minutes. `sh` blocks are for people.

`HEADRACE_DOCS=write pytest tests/e2e/test_readme.py` puts what is printed now into the pages.
"""

from __future__ import annotations

import io
import os
import re
import runpy
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headrace.broker.server import Broker
from headrace.cli.main import main
from headrace.settings import Project

FENCE = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
STATUS = re.compile(r"^(\d\d:\d\d:\d\d .*|starting the broker …|stopping the broker …)\n", re.MULTILINE)
VARYING = (
    (r"127\.0\.0\.1:\d+", "ADDRESS"),
    (r"process \d+", "process N"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|\+00:00)", "STAMP"),
    (r"(?m)[ \t]+$", ""),
)


@dataclass
class Block:
    """A fenced block of a page: what it is, and where its text stands."""

    kind: str
    title: str | None
    text: str
    start: int
    end: int


class Page:
    """One page, run in a folder of its own."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.path, self.folder = path, folder
        self.source = path.read_text(encoding="utf-8")
        self.names: dict[str, Any] = {"__name__": "page"}
        self.renewed: list[tuple[Block, str]] = []

    def run(self) -> list[str]:
        """Run every block; gives a complaint for each that does not print what the page says."""
        complaints, printed = [], ""
        with self._here():
            for block in self.blocks():
                if block.title:
                    target = self.folder / block.title
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_text(block.text, encoding="utf-8")
                elif block.kind == "python":
                    printed = self._python(block)
                elif block.kind == "text":
                    complaints += self._compare(block, printed)
                elif block.kind == "console":
                    complaints += self._compare(block, self._console(block))
        if os.environ.get("HEADRACE_DOCS") == "write":
            self._write()
            return []
        return complaints

    def blocks(self) -> Iterator[Block]:
        for found in FENCE.finditer(self.source):
            yield Block(found[1], found[2], found[3], found.start(3), found.end(3))

    def _python(self, block: Block) -> str:
        file = self.folder / f"block_at_{self.source[: block.start].count(chr(10)) + 1}.py"
        file.write_text(block.text, encoding="utf-8")
        with _captured() as printed:
            exec(compile(block.text, str(file), "exec"), self.names)
        return printed.getvalue()

    def _console(self, block: Block) -> str:
        commands = [line[2:] for line in block.text.splitlines() if line.startswith("$ ")]
        return "".join(f"$ {command}\n{_command(command)}" for command in commands)

    def _compare(self, block: Block, printed: str) -> list[str]:
        if plain(printed) == plain(block.text):
            return []
        self.renewed.append((block, printed))
        line = self.source[: block.start].count("\n") + 1
        return [f"{self.path.name}:{line} says\n{block.text}\nand what is printed is\n{printed}"]

    def _write(self) -> None:
        for block, printed in reversed(self.renewed):
            self.source = self.source[: block.start] + printed + self.source[block.end :]
        self.path.write_text(self.source, encoding="utf-8")

    @contextmanager
    def _here(self) -> Iterator[None]:
        before, modules, wide = Path.cwd(), set(sys.modules), os.environ.get("COLUMNS")
        os.chdir(self.folder)
        os.environ["COLUMNS"] = "100"
        sys.path.insert(0, str(self.folder))
        try:
            yield
        finally:
            Broker(Project(self.folder)).down()
            os.chdir(before)
            os.environ.pop("COLUMNS") if wide is None else os.environ.update(COLUMNS=wide)
            sys.path.remove(str(self.folder))
            for name in set(sys.modules) - modules:
                if str(self.folder) in str(getattr(sys.modules[name], "__file__", "")):
                    del sys.modules[name]


def plain(text: str) -> str:
    """The text without what differs from run to run: states told by the clock, addresses, processes."""
    text = STATUS.sub("", text)
    for pattern, name in VARYING:
        text = re.sub(pattern, name, text)
    return "\n".join(map(_said, re.split(r"(?m)^(?=\$ )", text.strip()))).strip()


def _said(command: str) -> str:
    """What a command said; of a job's rows the order is not compared, as it hangs on cores and on chance."""
    first, *lines = command.splitlines() or [""]
    of_a_job = first.startswith(("$ python", "$ headrace run"))
    return "\n".join([first, *(sorted(lines) if of_a_job else lines)])


def _command(line: str) -> str:
    """What a command prints, and its exit code where that is not 0."""
    line, _, given = line.partition(" <<< ")
    line, _, target = line.partition(" > ")
    words = shlex.split(line.removesuffix("; echo $?"))
    before, typed = sys.argv, sys.stdin
    with _captured() as printed:
        code = 0
        try:
            if given:
                sys.stdin = io.TextIOWrapper(io.BytesIO((shlex.split(given)[0] + "\n").encode()))
            if words[0] == "headrace":
                code = main(words[1:])
            elif words[0] == "python":
                sys.argv = words[1:]
                runpy.run_path(str(Path(words[1]).resolve()), run_name="__main__")
            elif words[0] == "cat":
                sys.stdout.write(Path(words[1]).read_text(encoding="utf-8"))
            else:
                raise AssertionError(f"a page's commands are headrace, python and cat, not {words[0]}")
        finally:
            sys.argv, sys.stdin = before, typed
    if target:
        Path(target).write_text(printed.getvalue(), encoding="utf-8")
        return ""
    return printed.getvalue() + (f"{code}\n" if line.endswith("; echo $?") else "")


@contextmanager
def _captured() -> Iterator[io.StringIO]:
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        yield printed
