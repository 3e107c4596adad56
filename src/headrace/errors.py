"""Every error that Headrace raises, as one tree.

Three branches, after who can mend it: `JobError` (the program says something that cannot be),
`SetupError` (the machine or a server lacks something), `RunError` (a job that ran has failed).
Each error says what is wrong, where in the user's own program, and what to do next.
"""

from __future__ import annotations

import difflib
import sys
import traceback
from collections.abc import Iterable
from itertools import takewhile
from types import TracebackType
from typing import Any

from headrace.origin import Origin, here, is_ours


class HeadraceError(Exception):
    """The root of the tree: a message, the user's line if one is to blame, and a hint."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None, origin: Origin | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.origin = origin

    def __str__(self) -> str:
        lines = [self.message]
        if self.origin is not None:
            lines.append(
                f"  at {self.origin}: {self.origin.code}" if self.origin.code else f"  at {self.origin}"
            )
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """The error as `--json` prints it."""
        at = self.origin and {"file": self.origin.file, "line": self.origin.line, "code": self.origin.code}
        return {"error": type(self).__name__, "message": self.message, "at": at, "hint": self.hint}

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows instead of our frames."""
        return [f"{type(self).__name__}: {self}"]


class JobError(HeadraceError):
    """The program says something that cannot be; it is found before anything runs."""

    exit_code = 3

    def __init__(self, message: str, *, hint: str | None = None, origin: Origin | None = None) -> None:
        super().__init__(message, hint=hint, origin=origin or here())


class UnknownColumn(JobError, LookupError):
    """A column that the stream does not have."""

    def __init__(
        self, name: str, columns: Iterable[str], *, stream: str = "the stream", origin: Origin | None = None
    ) -> None:
        columns = list(columns)
        super().__init__(f"no column '{name}' in {stream}", hint=did_you_mean(name, columns), origin=origin)
        self.name = name


class InvalidExpression(JobError, ValueError):
    """An expression that Spark cannot read or type."""


class InvalidDuration(JobError, ValueError):
    """A length of time that is no length of time."""


class InvalidWindow(JobError, ValueError):
    """A window whose numbers contradict each other."""


class InvalidTrigger(JobError, ValueError):
    """A trigger that can never fire, or not on its window."""


class InvalidSchema(JobError, ValueError):
    """A schema that does not fit its data, or each other."""


class InvalidOption(JobError, ValueError):
    """A setting with a value that it cannot have."""


class Unsupported(JobError, NotImplementedError):
    """A wish that the chosen mode, sink or operator cannot fulfil."""


class NothingToRun(JobError):
    """A program without an app, or an app that writes nothing."""


class SetupError(HeadraceError):
    """The machine, or a server that the job needs, lacks something."""

    exit_code = 4


class NoJava(SetupError):
    """No Java was found."""


class WrongJava(SetupError):
    """The Java that was found is too old, or does not run."""


class JarMismatch(SetupError):
    """A jar is not the one that was pinned."""


class NoNetwork(SetupError, ConnectionError):
    """Something must be fetched once, and the registry cannot be reached."""


class PortTaken(SetupError, OSError):
    """Another program listens on the port."""


class DiskFull(SetupError, OSError):
    """No room left for what must be written."""


class BrokerDown(SetupError, ConnectionError):
    """The broker does not answer."""


class MissingTopic(SetupError, LookupError):
    """A topic that the broker does not have."""


class MissingFile(SetupError, FileNotFoundError):
    """A path that is not there."""

    __str__ = HeadraceError.__str__


class RunError(HeadraceError):
    """A job that ran has failed."""


class JobFailed(RunError, RuntimeError):
    """A query of the job ended with an error."""


class CheckpointMismatch(RunError, ValueError):
    """The checkpoint was written by another job, or by another shape of this one."""

    exit_code = 3


def did_you_mean(name: str, known: Iterable[str], what: str = "columns") -> str:
    """The nearest known name, and else all of them."""
    known = list(known)
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    listed = ", ".join(known[:20]) + (", …" if len(known) > 20 else "")
    listed = f"the {what} are: {listed}" if known else f"there are no {what}"
    return f"did you mean '{near[0]}'? ({listed})" if near else listed


def hide_our_frames() -> None:
    """Make an uncaught HeadraceError print the user's frames alone; any other error is left as it is."""
    usual = sys.excepthook
    if getattr(usual, "headrace", False):
        return

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not isinstance(error, HeadraceError):
            usual(kind, error, trace)
            return
        frames = list(takewhile(lambda frame: not is_ours(frame.filename), traceback.extract_tb(trace)))
        if frames:
            sys.stderr.write("Traceback (most recent call last):\n")
            sys.stderr.write("".join(traceback.format_list(frames)))
        sys.stderr.write(f"{type(error).__name__}: {error}\n")

    hook.headrace = True  # type: ignore[attr-defined]
    sys.excepthook = hook
