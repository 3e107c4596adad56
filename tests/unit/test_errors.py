"""Errors: where they point, what they suggest, and what an uncaught one shows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import headrace as hr
from headrace import errors
from headrace.errors import HeadraceError, InvalidWindow, MissingFile, UnknownColumn, did_you_mean


def every_error(kind: type[HeadraceError] = HeadraceError) -> list[type[HeadraceError]]:
    return [kind, *(found for below in kind.__subclasses__() for found in every_error(below))]


def test_the_nearest_name_comes_first() -> None:
    assert did_you_mean("statoin", ["value", "station"]) == (
        "did you mean 'station'? (the columns are: value, station)"
    )


def test_no_near_name_lists_all() -> None:
    assert did_you_mean("xyz", ["a", "b"], "modes") == "the modes are: a, b"
    assert did_you_mean("xyz", []) == "there are no columns"
    assert did_you_mean("zzz", [f"c{n}" for n in range(30)]).endswith("c19, …")


def test_every_error_has_a_parent_that_python_knows_and_an_exit_code() -> None:
    leaves = [kind for kind in every_error() if not kind.__subclasses__()]
    assert len(leaves) > 15
    codes = {kind.exit_code for kind in leaves}
    assert codes == {1, 3, 4}
    assert issubclass(UnknownColumn, LookupError) and issubclass(InvalidWindow, ValueError)


def test_an_error_of_the_job_points_at_the_line_that_caused_it() -> None:
    with pytest.raises(InvalidWindow) as caught:
        hr.sliding("5 s", every="10 s")
    assert caught.value.origin is not None
    assert caught.value.origin.file == __file__
    assert caught.value.origin.code == 'hr.sliding("5 s", every="10 s")'
    assert caught.value.as_dict() == {
        "error": "InvalidWindow",
        "message": "slide 10 seconds > size 5 seconds loses the rows between windows",
        "at": {"file": __file__, "line": caught.value.origin.line, "code": caught.value.origin.code},
        "hint": "use every <= 5 seconds",
    }


def test_an_error_of_an_operating_system_kind_says_our_words() -> None:
    assert (
        str(MissingFile("there is no x to read", hint="make it")) == "there is no x to read\n  hint: make it"
    )


JOB = """import headrace as hr
from headrace.errors import hide_our_frames
hide_our_frames()
hide_our_frames()
def windows():
    return hr.sliding("5 s", every="10 s")
{end}
"""


def seen(folder: Path, end: str) -> tuple[int, str]:
    (folder / "job.py").write_text(JOB.format(end=end))
    done = subprocess.run([sys.executable, "job.py"], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def test_an_uncaught_error_shows_the_users_frames_alone(tmp_path: Path) -> None:
    code, stderr = seen(tmp_path, "windows()")
    assert code == 1
    lines = [line for line in stderr.splitlines() if "^^^" not in line]
    assert lines == [
        "Traceback (most recent call last):",
        f'  File "{tmp_path}/job.py", line 7, in <module>',
        "    windows()",
        f'  File "{tmp_path}/job.py", line 6, in windows',
        '    return hr.sliding("5 s", every="10 s")',
        "InvalidWindow: slide 10 seconds > size 5 seconds loses the rows between windows",
        '  at job.py:6: return hr.sliding("5 s", every="10 s")',
        "  hint: use every <= 5 seconds",
    ]


def test_any_other_error_is_left_as_it_is(tmp_path: Path) -> None:
    _code, stderr = seen(tmp_path, "1 / 0")
    assert stderr.endswith("ZeroDivisionError: division by zero\n")
    assert "hint" not in stderr


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match=r"headrace has no 'tumblin'; did you mean 'tumbling'\?"):
        hr.tumblin  # noqa: B018


def test_every_public_name_is_there() -> None:
    constants = {"accumulating", "discarding", "retracting"}
    assert all(callable(getattr(hr, name)) for name in set(hr.__all__) - constants)
    assert {str(getattr(hr, name)) for name in constants} == constants
    assert dir(hr) == sorted(hr.__all__)
    assert errors.__doc__
