"""Word count by event time: windows of ten minutes, every five, with words that come late.

The watermark is ten minutes behind the latest word so far. A word is late for a window that has ended by
the watermark, and Spark leaves it out there. Spark goes by the watermark that the batch before ran with: it
keeps a word that is late by the newest watermark alone.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import headrace as hr

# Each line is a file, in the order in which they arrive; the time is when the word was said.
ARRIVALS = (
    (("12:02", "river"), ("12:03", "wheel"), ("12:07", "river"), ("12:08", "stone")),
    (("12:14", "wheel"), ("12:09", "river")),
    (("12:15", "river"), ("12:08", "wheel"), ("12:21", "stone")),
    (("12:05", "mill"), ("12:22", "wheel")),
    (("12:04", "mill"), ("12:17", "stone"), ("12:09", "river"), ("12:13", "wheel")),
)
SIZE, EVERY, DELAY = timedelta(minutes=10), timedelta(minutes=5), timedelta(minutes=10)
INPUT = Path(tempfile.mkdtemp(prefix="word-count-"))

app = hr.App("word-count-event-time")
words = app.read(
    hr.files(INPUT, "json", schema="word string, time timestamp", options={"maxFilesPerTrigger": "1"}),
    event_time="time",
    delay=DELAY,
)
counts = words.key_by("word").window(hr.sliding(SIZE, every=EVERY), late="drop").agg(n="count(*)")
counts.write(hr.console(rows=40), name="words", output="update")


def moment(clock: str) -> datetime:
    return datetime.fromisoformat(f"2026-01-01T{clock}:00+00:00")


def write_input() -> None:
    """A file an arrival; Spark takes files in the order of their times."""
    for number, arrival in enumerate(ARRIVALS, start=1):
        file = INPUT / f"{number}.json"
        rows = [{"word": word, "time": moment(clock).isoformat()} for clock, word in arrival]
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        os.utime(file, (number, number))


def late_words() -> Iterator[tuple[str, str, datetime, datetime]]:
    """Every word that is late, with the window that it is late for and the watermark, by the rule above."""
    before = now = datetime.min.replace(tzinfo=UTC)
    for arrival in ARRIVALS:
        for clock, word in arrival:
            time = moment(clock)
            start = time - (time - moment("00:00")) % EVERY
            while start + SIZE > time:
                if start + SIZE <= before:
                    yield clock, word, start, before
                start -= EVERY
        before, now = now, max(now, *(moment(clock) - DELAY for clock, _ in arrival))


if __name__ == "__main__":
    write_input()
    with tempfile.TemporaryDirectory() as checkpoint:
        summary = app.run(mode="available-now", checkpoint=checkpoint)
    late = list(late_words())
    print(f"\n{summary.queries[0].late} times a word was late for a window; by the rule it is {len(late)}:")
    for clock, word, start, watermark in late:
        window = f"{start:%H:%M}–{start + SIZE:%H:%M}"
        print(f"  {clock} {word:<6} for {window}, as the watermark was {watermark:%H:%M}")
