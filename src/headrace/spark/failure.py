"""Why a query has failed, told in the words of the user's program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from subprocess import Popen, TimeoutExpired

from headrace.errors import JobFailed
from headrace.origin import Origin, is_users

_LOST_BROKER = (
    "org.apache.kafka.common.errors.TimeoutException",
    "org.apache.kafka.common.errors.DisconnectException",
    "org.apache.kafka.common.errors.NetworkException",
    "org.apache.kafka.common.errors.BrokerNotAvailableException",
    "org.apache.kafka.common.errors.NotLeaderOrFollowerException",
    "java.util.concurrent.TimeoutException: Cannot fetch record",
    "No resolvable bootstrap urls",
)
NOTE = "for the key "
_FRAME = re.compile(r'File "([^"]+)", line (\d+), in (\S+)')


def lost_broker(said: str) -> bool:
    """Whether a failure is that of a broker that went away."""
    return any(sign in said for sign in _LOST_BROKER)


def failed(query: str, said: str, origin: Origin | None, log: str) -> JobFailed:
    """The failure of a query, at the line of the user's own that raised it, if one did."""
    slots = re.search(r"needs (\d+) concurrent task slots.*only (\d+) are", said, re.DOTALL)
    if slots:
        return JobFailed(
            f"query '{query}' needs {slots[1]} task slots at once in real time, "
            f"and Spark has {slots[2]} free",
            hint=f"run it with --master 'local[{slots[1]}]' or on more executors, or read fewer partitions",
            origin=origin,
        )
    cause, at = python_cause(said)
    if cause is not None:
        return JobFailed(
            f"query '{query}' failed: {cause}", hint="mend that line and start again", origin=at or origin
        )
    return JobFailed(
        f"query '{query}' failed: {_cause(said)}", hint=f"the whole story is in {log}", origin=origin
    )


@contextmanager
def told_by_spark(query: str, origin: Origin | None, log: str) -> Iterator[None]:
    """A failure of Spark's, while a batch job runs, in our words."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        raise failed(query, str(error), origin, log) from None


@contextmanager
def told_when_java_dies(log: str) -> Iterator[None]:
    """That Spark's own process is gone, whatever call it was that found out."""
    from py4j.protocol import Py4JError, Py4JJavaError
    from pyspark import SparkContext

    try:
        yield
    except (Py4JError, OSError) as error:
        process = getattr(SparkContext._gateway, "proc", None)
        if process is None or isinstance(error, Py4JJavaError) or not _ends(process):
            raise
        raise JobFailed(
            f"Spark's Java process is gone: it was ended from outside (exit code {process.returncode})",
            hint="if the system ended it for want of memory (`dmesg` says so), give the machine or the "
            f"container more; the last it said is in {log}. The next start goes on from the checkpoint",
        ) from None


def _ends(process: Popen[bytes]) -> bool:
    """Whether a process has ended; its connections break a moment before that."""
    try:
        process.wait(timeout=3)
    except TimeoutExpired:
        return False
    return True


def python_cause(said: str) -> tuple[str | None, Origin | None]:
    """What a user's Python function raised, and where."""
    start = said.find("Traceback (most recent call last)")
    if start < 0:
        return None, None
    lines = said[start:].splitlines()[1:]
    at: Origin | None = None
    for number, line in enumerate(lines):
        frame = _FRAME.search(line)
        if frame:
            if is_users(frame[1]):
                at = Origin(frame[1], int(frame[2]))
        elif line and not line.startswith((" ", "\t")) and number:
            return line.strip() + _note(lines[number + 1 :]), at
    return None, at


def _note(lines: list[str]) -> str:
    """Which key it was, where that is said behind an error."""
    return f" ({lines[0].strip()})" if lines and lines[0].startswith(NOTE) else ""


def _cause(said: str) -> str:
    """The innermost cause that a Java stack names."""
    causes = re.findall(r"^Caused by: (?:[\w.$]+: )?(.+)$", said, re.MULTILINE)
    text = causes[-1] if causes else said.strip().splitlines()[0] if said.strip() else "no reason was given"
    text = re.sub(r"^\[[A-Z0-9_.]+\]\s*", "", text.strip())
    return re.split(r"\s*SQLSTATE:", text)[0].strip()
