from __future__ import annotations

import pytest

from headrace.broker.records import Outgoing
from headrace.cli.output import print_table
from headrace.cli.produce import _Lines


def test_text_lines() -> None:
    assert list(_Lines(False, None, None, 3).records([b"a\r\n", b"\n"])) == [
        Outgoing(b"a", None, 3),
        Outgoing(b"", None, 3),
    ]


def test_a_separator() -> None:
    lines = _Lines(False, None, "::", None)
    assert list(lines.records([b"k::v::w\n", b"none\n"])) == [Outgoing(b"v::w", b"k")]
    assert lines.refused == ["line 2: no '::' between key and value"]


def test_json_lines_with_a_key() -> None:
    lines = _Lines(True, "id", None, None)
    sent = list(
        lines.records([b'{"id": "a"}\n', b"\n", b'{"id": 7}\n', b'{"id": null}\n', b'{"x": 1}\n', b"[1]\n"])
    )
    assert [record.key for record in sent] == [b"a", b"7", None]
    assert lines.refused == ["line 5: no field 'id' for the key", "line 6: no field 'id' for the key"]


def test_lines_that_are_not_json() -> None:
    lines = _Lines(True, None, None, None)
    assert list(lines.records([b"nope\n", b"\xff\n"])) == []
    assert [reason.partition(":")[0] for reason in lines.refused] == ["line 1", "line 2"]


def test_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("name", "n"), [("a", 10), ("bcdef", None)], empty="none")
    print_table(("name", "n"), [], empty="none")
    assert capsys.readouterr().out == "NAME    N\na      10\nbcdef   -\nnone\n"
