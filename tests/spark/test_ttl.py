"""Windows that no time ends, freed when their key has been silent for long enough."""

from __future__ import annotations

import headrace as hr
from headrace.testing import TestDriver


def test_a_silent_keys_window_is_completed_and_forgotten(app: hr.App) -> None:
    rows = app.read(hr.kafka("ticks", value=hr.json("id string, t timestamp")), event_time="t")
    counts = rows.key_by("id").window(hr.count(3), ttl="1 minute").agg(n="count(*)")
    counts.select("id", "n").write(hr.memory("m"), name="counts")
    at = "2026-01-01T00:0{}:00Z".format
    with TestDriver(app) as driver:
        driver.feed("ticks", [{"id": "a", "t": at(0)}, {"id": "a", "t": at(1)}])
        driver.advance_watermark("ticks", "2026-01-01T00:01:59")
        assert driver.read("counts") == []
        driver.advance_watermark("ticks", at(2))
        assert driver.read("counts") == [{"id": "a", "n": 2}], "a minute after its last row"
        driver.feed("ticks", [{"id": "a", "t": at(number)} for number in (3, 3, 3)])
        assert driver.read("counts") == [{"id": "a", "n": 3}], "and its next row began anew"
