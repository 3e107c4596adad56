"""`headrace`: its commands, and how a command ends."""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import typer
from typer.main import get_command

from headrace.errors import HeadraceError, InvalidDuration, InvalidOption

# One module a command, in the order of the help; each has `command`, a function, or `app`, a typer app.
COMMANDS = (
    "init",
    "run",
    "validate",
    "explain",
    "graph",
    "up",
    "down",
    "state",
    "status",
    "topic",
    "produce",
    "consume",
    "group",
    "doctor",
    "jars",
)

EPILOG = """\b
Exit codes:
  0  done, or stopped cleanly
  1  the job failed
  2  the command was used wrongly
  3  the program is wrong
  4  the machine, or a server, lacks something
"""
INTERRUPTED = 130
WRONG_USE = 2


def build() -> typer.Typer:
    """The whole command line."""
    app = typer.Typer(
        help="Streaming for PySpark: run jobs, and the Kafka that they need.",
        epilog=EPILOG,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_version)
    for name in COMMANDS:
        module = importlib.import_module(f"headrace.cli.{name}")
        shown = name.replace("_", "-")
        if hasattr(module, "app"):
            app.add_typer(module.app, name=shown)
        else:
            app.command(shown)(module.command)
    return app


def _show_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"headrace {version('headrace')}")
        raise typer.Exit


def _version(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version and leave."
    ),
) -> None:
    """Streaming for PySpark: run jobs, and the Kafka that they need."""


def run() -> None:
    """The program `headrace`."""
    sys.exit(main(sys.argv[1:]))


def main(arguments: Sequence[str]) -> int:
    """Run one command line; gives the exit code."""
    command = get_command(build())
    if "_HEADRACE_COMPLETE" in os.environ:
        command(list(arguments), prog_name="headrace")
    try:
        with command.make_context("headrace", list(arguments)) as context:
            command.invoke(context)
        sys.stdout.flush()
    except typer.Exit as end:
        return end.exit_code
    except HeadraceError as error:
        return _tell(_Failure.of(error), as_json="--json" in arguments)
    except typer.TyperException as error:
        return _tell(_Failure.of_use(error), as_json="--json" in arguments)
    except (KeyboardInterrupt, typer.Abort):
        sys.stderr.write("\nstopped\n")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has had enough; what Python still holds back goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


@dataclass(frozen=True, slots=True)
class _Failure:
    """An error as it is told: in words, as JSON, as an exit code."""

    text: str
    content: dict[str, object]
    code: int

    @classmethod
    def of(cls, error: HeadraceError) -> _Failure:
        """An option that cannot be is wrong use, unless it stands in the user's own program."""
        code = error.exit_code
        if error.origin is not None and _is_machinery(error.origin.file):
            error.origin = None
            code = WRONG_USE if isinstance(error, InvalidOption | InvalidDuration) else code
        return cls(f"error: {error}", error.as_dict(), code)

    @classmethod
    def of_use(cls, error: typer.TyperException) -> _Failure:
        context = getattr(error, "ctx", None)
        message = error.format_message()
        hint = f"see `{context.command_path} --help`" if context is not None else "see `headrace --help`"
        if type(error).__name__ == "NoArgsIsHelpError":
            return cls(
                message, {"error": "Usage", "message": "no command was given", "hint": hint}, WRONG_USE
            )
        content: dict[str, object] = {"error": "Usage", "message": message, "hint": hint}
        return cls(f"error: {message}\n  hint: {hint}", content, WRONG_USE)


def _is_machinery(file: str) -> bool:
    """Whether the line belongs to the command line itself, and not to a user's program."""
    return Path(file).is_relative_to(Path(typer.__file__).parent) or _is_program(file)


def _is_program(file: str) -> bool:
    return os.path.realpath(file) == os.path.realpath(sys.argv[0])


def _tell(failure: _Failure, *, as_json: bool) -> int:
    if as_json:
        print(json.dumps(failure.content, ensure_ascii=False), flush=True)
    else:
        sys.stderr.write(f"{failure.text}\n")
    return failure.code
