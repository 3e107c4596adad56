"""The examples, each as its one command runs it; one process runs them all, so that Spark starts once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = (
    "word_count/batch.py",
    "word_count/running.py",
    "word_count/processing_time.py",
    "word_count/event_time.py",
    "json_to_parquet.py",
)
ALL = """
import runpy, sys
for path in sys.argv[1:]:
    print(f"=== {path}", flush=True)
    runpy.run_path(path, run_name="__main__")
"""


@pytest.fixture(scope="module")
def printed() -> dict[str, list[str]]:
    """What each example prints, line by line, each line's columns one blank apart."""
    paths = [str(ROOT / "examples" / name) for name in EXAMPLES]
    done = subprocess.run([sys.executable, "-c", ALL, *paths], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    parts = done.stdout.split("=== ")[1:]
    lines = [[" ".join(line.split()) for line in part.splitlines()] for part in parts]
    return {str(Path(first).relative_to(ROOT / "examples")): rest for first, *rest in lines}


def test_a_batch_counts_all_words(printed: dict[str, list[str]]) -> None:
    lines = printed["word_count/batch.py"]
    assert lines[0] == "words (complete, 13 rows)"
    assert lines[2:5] == ["the 17", "river 5", "and 4"]


def test_a_running_count_changes_with_each_file(printed: dict[str, list[str]]) -> None:
    lines = printed["word_count/running.py"]
    assert [line for line in lines if line.startswith("water ")] == ["water 1", "water 2", "water 3"]
    assert lines.count("words (update, 2 rows)") == 2


def test_windows_of_processing_time_hold_every_word(printed: dict[str, list[str]]) -> None:
    rows = [line.split() for line in printed["word_count/processing_time.py"] if "–" in line]
    counts = {window: int(count) for window, count, _ in rows}
    words = sum(len(file.read_text().split()) for file in (ROOT / "examples/word_count/text").iterdir())
    assert sum(counts.values()) == words


def test_event_time_leaves_late_words_out_and_counts_them(printed: dict[str, list[str]]) -> None:
    lines = printed["word_count/event_time.py"]
    assert "mill 2026-01-01 12:05:00–12:15:00 1" in lines, "out of order, and in time"
    assert not any(line.startswith("mill 2026-01-01 11:55") for line in lines), "late"
    assert lines[-4:] == [
        "3 times a word was late for a window; by the rule it is 3:",
        "12:04 mill for 12:00–12:10, as the watermark was 12:11",
        "12:04 mill for 11:55–12:05, as the watermark was 12:11",
        "12:09 river for 12:00–12:10, as the watermark was 12:11",
    ]


def test_json_becomes_parquet_and_bad_lines_are_shown(printed: dict[str, list[str]]) -> None:
    lines = printed["json_to_parquet.py"]
    assert "could not be read (append, 2 rows)" in lines
    assert [line.split()[0] for line in lines if line.split()[1:2] in (["NL"], ["BE"], ["DE"])] == [
        "a1", "a2", "a4", "b1", "b3",
    ]  # fmt: skip
    assert lines[-3:] == ["country=BE", "country=DE", "country=NL"]
