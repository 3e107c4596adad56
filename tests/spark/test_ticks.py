"""What the clock makes due on a stream that has fallen silent, in real runs: no row comes to bring a batch."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import headrace as hr
from headrace.runtime.progress import JobProgress

SCHEMA = "id string, n int, t timestamp"
LIMIT = "60 seconds"


@dataclass
class Seen:
    """The rows that came out, each with the batch that brought it."""

    rows: list[tuple[int, dict[str, Any]]] = field(default_factory=list)

    def keep(self, frame: Any, number: int) -> None:
        self.rows += [(number, row.asDict(True)) for row in frame.collect()]

    @property
    def told(self) -> list[Any]:
        return [row["n"] for _batch, row in self.rows]

    def __len__(self) -> int:
        return len(self.rows)


def until(*seen: Seen) -> Any:
    """Stop the run when each has seen a row."""
    return lambda _progress: all(len(one) for one in seen)


def batches(folder: Path, query: str) -> int:
    log = folder / ".headrace" / "checkpoints" / "job" / query / "commits"
    return len([file for file in log.iterdir() if file.name.isdigit()])


def test_the_clock_is_looked_at_when_something_is_due(app: hr.App, folder: Path) -> None:
    rows = app.read(hr.files("in", "json", schema=SCHEMA), event_time="t", name="rows")
    window, delayed, regular = Seen(), Seen(), Seen()
    rows.window(hr.tumbling("2 seconds", on="processing")).agg(n="sum(n)").write(
        hr.foreach_batch(window.keep), name="window"
    )
    rows.window(hr.all_time()).trigger(hr.after_delay("1 second")).agg(n="sum(n)").write(
        hr.foreach_batch(delayed.keep), name="delayed"
    )
    rows.window(hr.all_time()).trigger(hr.every("2 seconds")).agg(n="sum(n)").write(
        hr.foreach_batch(regular.keep), name="regular"
    )
    app.run(stop_after=LIMIT, stop_when=until(window, delayed, regular))
    assert window.told == delayed.told == regular.told == [3]
    for seen, query in ((window, "window"), (delayed, "delayed"), (regular, "regular")):
        assert seen.rows[0][0] > 0, "a batch without a row"
        assert batches(folder, query) <= 3, "and none that nothing was due in"


def test_a_silent_source_holds_windows_back_until_it_is_idle(app: hr.App, folder: Path) -> None:
    (folder / "silent").mkdir()
    loud = app.read(hr.files("in", "json", schema=SCHEMA), event_time="t", idle="4 seconds", name="loud")
    silent = app.read(hr.files("silent", "json", schema=SCHEMA), event_time="t", idle="4 seconds", name="s")
    seen, held = Seen(), []
    counts = loud.union(silent).window(hr.tumbling("1 minute")).agg(n="sum(n)")
    counts.write(hr.foreach_batch(seen.keep), name="counts")
    later = json.dumps({"id": "a", "n": 4, "t": "2026-01-01T00:10:00Z"}) + "\n"

    def watch(progress: JobProgress) -> bool:
        batch = progress.queries[0].batch
        if batch == 0 and not held:
            (folder / "in" / "later.json").write_text(later)
            held.append(len(seen))
        elif batch == 1 and len(held) == 1:
            held.append(len(seen))
        return len(seen) > 0

    app.run(stop_after=LIMIT, stop_when=watch)
    assert held == [0, 0], "nothing is complete while a source that is not idle has said nothing"
    assert sorted(seen.told) == [1, 2], "the windows before the last row's"
    assert {batch for batch, _row in seen.rows} == {2}, "once the silent source was idle"


def test_what_came_due_while_a_job_was_down_is_told_at_its_start(app: hr.App, folder: Path) -> None:
    rows = app.read(hr.files("in", "json", schema=SCHEMA), event_time="t", name="rows")
    seen = Seen()
    counts = rows.window(hr.tumbling("5 seconds", on="processing")).agg(n="sum(n)")
    counts.write(hr.foreach_batch(seen.keep), name="counts")
    began = time.monotonic()
    app.run(mode="available-now")
    app.run(mode="available-now")
    assert batches(folder, "counts") == 1, "it ends, and the clock alone makes it no batch"
    if time.monotonic() - began < 5:
        time.sleep(5 - (time.monotonic() - began))
    assert seen.told == []
    app.run(stop_after=LIMIT, stop_when=until(seen))
    assert seen.told == [3]
