"""Numbers for people."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from headrace.terminal import figures

NOW = datetime(2026, 1, 2, 12, 0, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (0.01, "<0.1"),
        (0.5, "0.5"),
        (999, "999"),
        (1000, "1k"),
        (12_345, "12.3k"),
        (123_456, "123k"),
        (999_960, "1M"),
        (1_234_567, "1.2M"),
        (5e9, "5G"),
        (-1500, "-1.5k"),
        (99.97, "100"),
    ],
)
def test_count(number, text):
    assert figures.count(number) == text


def test_watermark_shows_its_day_only_where_it_is_another():
    assert figures.watermark(NOW.replace(second=1), NOW) == "12:00:01"
    assert figures.watermark(NOW.replace(day=1), NOW) == "2026-01-01 12:00:10"


def test_watermark_at_its_ends():
    assert figures.watermark(datetime(1970, 1, 1, tzinfo=UTC), NOW) == "none yet"
    assert figures.watermark(datetime.max.replace(tzinfo=UTC), NOW) == "end of time"


def test_how_far_behind():
    assert figures.behind(NOW.replace(second=1), NOW) == "9s behind"
    assert figures.behind(NOW.replace(minute=2), NOW) == "2m 00s ahead"
