"""Jobs as a user writes them: a file in a folder of its own, run in the session that all tests share."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import headrace as hr
from headrace.origin import Origin

HEAD = """
import headrace as hr
from pyspark.sql import functions as F
app = hr.App("job")
rows = app.read(hr.files("in", "json", schema="id string, n int, t timestamp"), event_time="t", name="rows")
"""
ROWS = '{"id":"a","n":1,"t":"2026-01-01T00:00:00Z"}\n{"id":"b","n":2,"t":"2026-01-01T00:01:00Z"}\n'


@dataclass
class Told:
    """What a user saw, and the lines of the file that the user wrote."""

    stderr: str
    lines: list[str]

    def at(self, text: str) -> str:
        """How the line that holds this text is pointed at."""
        number, line = next(
            (number, line)
            for number, line in enumerate(self.lines, 1)
            if text in line and line.strip() != "#"
        )
        return f"  at job.py:{number}: {line.strip()}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two rows of input, and the present folder."""
    (tmp_path / "headrace.toml").touch()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "rows.json").write_text(ROWS)
    (tmp_path / "job.py").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def app(spark: SparkSession, folder: Path) -> hr.App:
    """An app whose project is the folder."""
    made = hr.App("job")
    made._origin = Origin(str(folder / "job.py"), 1)
    return made


@pytest.fixture
def head() -> str:
    """How each of these jobs begins: an app, and the stream `rows`."""
    return HEAD.lstrip()


@pytest.fixture
def fails(
    spark: SparkSession, folder: Path, head: str, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Told]:
    """Runs a job that fails, as `python job.py` would, and gives what stderr would hold."""

    def run(body: str) -> Told:
        text = head + textwrap.dedent(body).strip("\n") + "\n"
        file = folder / "job.py"
        file.write_text(text)
        capsys.readouterr()
        try:
            exec(compile(text, str(file), "exec"), {"__name__": "__main__", "__file__": str(file)})
        except Exception as error:
            trace = error.__traceback__
            while trace is not None and trace.tb_frame.f_code.co_filename != str(file):
                trace = trace.tb_next
            sys.excepthook(type(error), error, trace)
        else:
            pytest.fail("the job did not fail")
        return Told(capsys.readouterr().err, text.splitlines())

    return run
