from __future__ import annotations

import importlib
import json
import sys

import pytest
import typer

from headrace.cli import main as module
from headrace.cli.main import COMMANDS, main
from headrace.errors import InvalidDuration, InvalidOption, JobFailed, MissingTopic, Unsupported
from headrace.origin import Origin


def raising(error: BaseException) -> typer.Typer:
    app = typer.Typer()

    @app.command()
    def only(json: bool = typer.Option(False, "--json")) -> None:
        raise error

    return app


def test_help_names_every_command_and_every_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    said = capsys.readouterr().out
    for name in COMMANDS:
        assert f"\n  {name} " in said
    for line in ("0  done", "1  the job failed", "2  the command", "3  the program", "4  the machine"):
        assert f"    {line}" in said


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    importlib.import_module(f"headrace.cli.{name}")
    assert main([name, "--help"]) == 0
    assert f"Usage: headrace {name}" in capsys.readouterr().out


def test_a_command_loads_nothing_heavy() -> None:
    code = "import sys; from headrace.cli.main import main; main(['--help']); print(sorted(sys.modules))"
    import subprocess

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for heavy in ("'confluent_kafka'", "'pyspark'", "'rich.table'", "'pandas'"):
        assert heavy not in done.stdout


ERRORS = [
    (MissingTopic("no topic 'x'", hint="make it"), 4, "error: no topic 'x'\n  hint: make it\n"),
    (JobFailed("it fell over"), 1, "error: it fell over\n"),
    (
        Unsupported("not so", origin=Origin("/nowhere/job.py", 3)),
        3,
        "error: not so\n  at /nowhere/job.py:3\n",
    ),
    (InvalidOption("bad", origin=Origin(typer.__file__, 1)), 2, "error: bad\n"),
    (InvalidDuration("bad", origin=Origin("/nowhere/job.py", 3)), 3, "error: bad\n  at /nowhere/job.py:3\n"),
    (KeyboardInterrupt(), 130, "\nstopped\n"),
    (typer.Exit(4), 4, ""),
]


@pytest.mark.parametrize(("error", "code", "said"), ERRORS)
def test_how_an_error_ends_a_command(
    error: BaseException,
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(module, "build", lambda: raising(error))
    assert main([]) == code
    assert capsys.readouterr().err == said


def test_an_error_as_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(module, "build", lambda: raising(MissingTopic("no topic 'x'", hint="make it")))
    assert main(["--json"]) == 4
    written = capsys.readouterr()
    assert json.loads(written.out) == {
        "error": "MissingTopic",
        "message": "no topic 'x'",
        "at": None,
        "hint": "make it",
    }
    assert written.err == ""


def test_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["consume"]) == 2
    assert (
        capsys.readouterr().err == "error: Missing argument 'topic'.\n  hint: see `headrace consume --help`\n"
    )
    assert main(["consume", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"] == "Usage"
    assert main([]) == 2
    assert "Usage: headrace" in capsys.readouterr().err


def test_an_error_of_ours_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "build", lambda: raising(ZeroDivisionError("a bug")))
    with pytest.raises(ZeroDivisionError):
        main([])
