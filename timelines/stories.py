"""A story a kind of window: the page whose code is run, and the rows that it is fed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

DAY = "2026-01-01T"


@dataclass(frozen=True, slots=True)
class Row:
    """A row, and when it came: at the moment it is of, where nothing else is said."""

    at: str
    values: dict[str, Any]
    came: str

    @property
    def fed(self) -> dict[str, Any]:
        """The row as the source is given it."""
        return {**self.values, "at": moment(self.at)}


def row(at: str, came: str = "", **values: Any) -> Row:
    """A row of this moment of the day, such as "12:04".

    >>> row("12:04", page="/home").came
    '12:04'
    """
    return Row(at, values, came or at)


@dataclass(frozen=True, slots=True)
class Story:
    """What is fed to the job of a page; `key` is the column with a lane a value, `label` one at each dot."""

    page: str
    source: str
    sink: str
    rows: tuple[Row, ...]
    shown: tuple[str, str]
    tick: int
    key: str | None = None
    label: str | None = None
    keeps_late: bool = True


def moment(text: str) -> datetime:
    """A moment of the stories' one day.

    >>> moment("12:04").isoformat()
    '2026-01-01T12:04:00+00:00'
    """
    return datetime.fromisoformat(f"{DAY}{text}:00+00:00")


STORIES = (
    Story(
        page="tumbling",
        source="views",
        sink="view-counts",
        key="page",
        shown=("12:00", "12:26"),
        tick=5,
        rows=(
            row("12:01", page="/home"),
            row("12:04", page="/cart"),
            row("12:08", page="/home"),
            row("12:12", page="/home"),
            row("12:07", came="12:14", page="/home"),
            row("12:17", page="/cart"),
            row("12:21", page="/home"),
        ),
    ),
    Story(
        page="sliding",
        source="alarms",
        sink="alarm-counts",
        shown=("11:55", "12:30"),
        tick=5,
        rows=(
            row("12:02", station="a"),
            row("12:06", station="b"),
            row("12:08", station="a"),
            row("12:12", station="a"),
            row("12:09", came="12:13", station="b"),
            row("12:17", station="a"),
            row("12:21", station="b"),
        ),
    ),
    Story(
        page="session",
        source="clicks",
        sink="visits",
        key="user",
        shown=("12:00", "12:34"),
        tick=5,
        rows=(
            row("12:01", user="ann"),
            row("12:03", user="ann"),
            row("12:04", user="bob"),
            row("12:14", user="ann"),
            row("12:09", came="12:15", user="ann"),
            row("12:05", came="12:17", user="bob"),
            row("12:24", user="bob"),
            row("12:30", user="bob"),
        ),
    ),
    Story(
        page="cumulative",
        source="sales",
        sink="sales-so-far",
        label="euros",
        shown=("08:00", "12:50"),
        tick=60,
        rows=(
            row("08:20", euros=10),
            row("08:50", euros=20),
            row("09:30", euros=5),
            row("10:10", euros=30),
            row("10:40", euros=15),
            row("11:20", euros=20),
            row("12:05", euros=25),
        ),
    ),
    Story(
        page="trailing",
        source="payments",
        sink="payment-rates",
        key="card",
        shown=("11:50", "12:24"),
        tick=5,
        rows=(
            row("12:00", card="4711"),
            row("12:04", card="4711"),
            row("12:08", card="4711"),
            row("12:06", came="12:09", card="4711"),
            row("12:13", card="4711"),
            row("12:20", card="0815"),
        ),
    ),
    Story(
        page="count",
        source="measurements",
        sink="means",
        key="sensor",
        label="celsius",
        keeps_late=False,
        shown=("12:00", "12:20"),
        tick=5,
        rows=(
            row("12:01", sensor="t1", celsius=20),
            row("12:03", sensor="t1", celsius=22),
            row("12:04", sensor="t2", celsius=30),
            row("12:06", sensor="t2", celsius=31),
            row("12:07", sensor="t1", celsius=24),
            row("12:10", sensor="t1", celsius=25),
            row("12:02", came="12:12", sensor="t2", celsius=32),
            row("12:14", sensor="t1", celsius=23),
            row("12:16", sensor="t1", celsius=21),
        ),
    ),
    Story(
        page="delta",
        source="prices",
        sink="moves",
        key="share",
        label="price",
        keeps_late=False,
        shown=("12:00", "12:22"),
        tick=5,
        rows=(
            row("12:01", share="oak", price=100),
            row("12:03", share="oak", price=101),
            row("12:05", share="oak", price=99),
            row("12:08", share="oak", price=103),
            row("12:11", share="oak", price=104),
            row("12:13", share="oak", price=102),
            row("12:16", share="oak", price=106),
        ),
    ),
    Story(
        page="punctuated",
        source="actions",
        sink="stays",
        key="user",
        label="kind",
        shown=("12:00", "12:22"),
        tick=5,
        rows=(
            row("12:01", user="ann", kind="login"),
            row("12:04", user="ann", kind="click"),
            row("12:05", user="bob", kind="login"),
            row("12:08", user="ann", kind="logout"),
            row("12:11", user="ann", kind="click"),
            row("12:13", user="bob", kind="click"),
            row("12:15", user="ann", kind="login"),
            row("12:17", user="bob", kind="logout"),
        ),
    ),
    Story(
        page="all_time",
        source="bids",
        sink="highest",
        key="auction",
        label="euros",
        keeps_late=False,
        shown=("12:00", "12:18"),
        tick=5,
        rows=(
            row("12:01", auction="lamp", euros=20),
            row("12:04", auction="boat", euros=300),
            row("12:06", auction="lamp", euros=25),
            row("12:09", auction="lamp", euros=22),
            row("12:12", auction="boat", euros=340),
        ),
    ),
)
