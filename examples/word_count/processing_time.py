"""Word count by processing time: how many words came in each four seconds of the clock on the wall."""

from __future__ import annotations

import tempfile
from pathlib import Path

import headrace as hr
from headrace.runtime.progress import JobProgress

TEXT = Path(__file__).parent / "text"
LINES = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in TEXT.iterdir())

app = hr.App("word-count-processing-time")
lines = app.read(hr.files(TEXT, "text", options={"maxFilesPerTrigger": "1"}))
words = lines.select(word="explode(split(lower(value), '[^a-z]+'))").where("word <> ''")
counts = words.window(hr.tumbling("4 seconds", on="processing")).agg(
    n="count(*)", different="approx_count_distinct(word)"
)
counts.write(hr.console(), name="words", output="update")


def done(progress: JobProgress) -> bool:
    """Whether every line has been read, and no window is open any more."""
    [words] = progress.queries
    return words.rows_in >= LINES and words.state_rows == 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as checkpoint:
        app.run(every="2 seconds", checkpoint=checkpoint, stop_when=done)
