"""Word count by processing time: how many words came in each four seconds of the clock on the wall."""

from __future__ import annotations

import tempfile
from pathlib import Path

import headrace as hr

TEXT = Path(__file__).parent / "text"
LINES = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in TEXT.iterdir())

app = hr.App("word-count-processing-time")
lines = app.read(hr.files(TEXT, "text", options={"maxFilesPerTrigger": "1"}))
words = lines.select(word="explode(split(lower(value), '[^a-z]+'))").where("word <> ''")
counts = words.window(hr.tumbling("4 seconds", on="processing")).agg(
    n="count(*)", different="approx_count_distinct(word)"
)
counts.write(hr.console(), name="words", output="update")

if __name__ == "__main__":
    # A file every two seconds; the end has come when every line has been read.
    with tempfile.TemporaryDirectory() as checkpoint:
        app.run(
            every="2 seconds",
            checkpoint=checkpoint,
            stop_when=lambda progress: progress.queries[0].rows_in >= LINES,
        )
