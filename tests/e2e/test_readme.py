"""Every program and command in the README and the docs does what the page says."""

from __future__ import annotations

from pathlib import Path

import pytest
from snippets import Page, plain

ROOT = Path(__file__).parents[2]


def runs(path: Path) -> bool:
    """Whether the page has more than programs with a file's name: those of pictures are run by their stories."""
    blocks = Page(path, path.parent).blocks()
    return any(block.kind in ("python", "console") and not block.title for block in blocks)


DOCS = sorted(path for path in (ROOT / "docs").rglob("*.md") if path.stem != "design")
PAGES = [ROOT / "README.md", *(path for path in DOCS if runs(path))]


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_is_true(path: Path, tmp_path: Path) -> None:
    complaints = Page(path, tmp_path).run()
    assert not complaints, "\n\n".join(complaints)


def test_a_page_that_is_wrong_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADRACE_DOCS", raising=False)
    page = tmp_path / "wrong.md"
    page.write_text("```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n", encoding="utf-8")
    assert "and what is printed is\n2" in Page(page, tmp_path).run()[0]


def test_what_differs_from_run_to_run_is_not_compared() -> None:
    assert plain("10:00:00 a: batch 3\nup at 127.0.0.1:9092 (process 7)\n") == "up at ADDRESS (process N)"
