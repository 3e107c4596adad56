"""The pages of the docs: the programs that stand on them, and the places that are filled from runs."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
PROGRAM = re.compile(r'^```python title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def program(page: str, title: str | None = None) -> str:
    """The program of a page with this title, or else its first that has one."""
    for found in PROGRAM.finditer(page):
        if title in (None, found[1]):
            return found[2]
    raise ValueError(f'the page shows no program: a block ```python title="{title or "…"}"')


def filled(page: str, place: str, text: str) -> str:
    """The page with this text between the two marks of the place.

    >>> filled("a\\n<!-- run: b -->\\nold\\n<!-- end of run -->\\n", "b", "new")
    'a\\n<!-- run: b -->\\n\\nnew\\n\\n<!-- end of run -->\\n'
    """
    marks = re.compile(rf"(<!-- run: {re.escape(place)} -->\n).*?(<!-- end of run -->)", re.DOTALL)
    if not marks.search(page):
        raise ValueError(f"the page has no place for '{place}': <!-- run: {place} --> … <!-- end of run -->")
    return marks.sub(lambda found: f"{found[1]}\n{text}\n\n{found[2]}", page)
