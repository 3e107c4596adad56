"""Word count that goes on: one file after the other, and after each the counts that have changed."""

from __future__ import annotations

import tempfile
from pathlib import Path

import headrace as hr

TEXT = Path(__file__).parent / "text"

app = hr.App("word-count-running")
lines = app.read(hr.files(TEXT, "text", options={"maxFilesPerTrigger": "1"}))
words = lines.select(word="explode(split(lower(value), '[^a-z]+'))").where(
    "word in ('river', 'water', 'wheel')"
)
words.key_by("word").agg(n="count(*)").write(hr.console(), name="words", output="update")

if __name__ == "__main__":
    # A checkpoint of its own, so that every run counts from the first file.
    with tempfile.TemporaryDirectory() as checkpoint:
        app.run(mode="available-now", checkpoint=checkpoint)
