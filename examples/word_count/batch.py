"""Word count as a batch: all the text there is, once."""

from __future__ import annotations

from pathlib import Path

import headrace as hr

TEXT = Path(__file__).parent / "text"

app = hr.App("word-count-batch")
lines = app.read(hr.files(TEXT, "text"))
words = lines.select(word="explode(split(lower(value), '[^a-z]+'))").where("word <> ''")
counts = words.key_by("word").agg(n="count(*)")
counts.sql("SELECT * FROM {stream} WHERE n > 1 ORDER BY n DESC, word").write(hr.console(), name="words")

if __name__ == "__main__":
    app.run(mode="batch")
