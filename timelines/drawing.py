"""A story drawn as SVG: rows where they came, windows as bars, panes as flags at the moment they left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from html import escape
from typing import Any

from timelines.stories import Row, Story, moment
from timelines.telling import Told
from timelines.words import clock, results, span, timing

WIDTH, LEFT, RIGHT = 760.0, 84.0, 24.0
LANE, BAR, LINE = 38.0, 16.0, 25.0
DOT, LETTER, PAD = 6.0, 6.1, 6.0
STYLE = """
.card{fill:#fff;stroke:#d5dbe3}.t{fill:#24292f}.m{fill:#5b6672}.g{stroke:#e4e8ee}.a{stroke:#8b95a3}
.k0{--k:#2563eb}.k1{--k:#c2410c}.dot{fill:var(--k)}.no{fill:#fff;stroke:var(--k)}.of{fill:none;stroke:var(--k)}
.bar{fill:var(--k);fill-opacity:.16;stroke:var(--k)}.flag{fill:var(--k)}.ft{fill:#fff}.kt{fill:var(--k)}
text{font:11px ui-sans-serif,system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif}
@media(prefers-color-scheme:dark){
.card,.no{fill:#171a20}.card{stroke:#343a45}.t{fill:#e6e9ee}.m{fill:#9aa4b2}.g{stroke:#2a2f38}.a{stroke:#6b7583}
.k0{--k:#7fadff}.k1{--k:#ff9f6b}.ft{fill:#10131a}}
""".strip()


@dataclass(frozen=True, slots=True)
class Bar:
    """A window of a key, and its panes: the moment each left, and what it said."""

    key: str
    start: datetime
    end: datetime
    flags: list[tuple[datetime, str]] = field(default_factory=list)


class Drawing:
    """One story's picture, from the top down."""

    def __init__(self, story: Story, steps: Sequence[Told]) -> None:
        self.story, self.steps = story, steps
        self.start, self.end = map(moment, story.shown)
        self.rows = [(step, step.row) for step in steps if step.row]
        self.keys = list(dict.fromkeys(self.key_of(row.values) for _step, row in self.rows))
        self.lines: list[str] = []
        self.y = 14.0

    def svg(self) -> str:
        """The whole document; it needs nothing from elsewhere, and the same story gives the same bytes."""
        self._lanes()
        self._axis()
        top = self.y
        for key in self.keys:
            self._windows(key)
        self._late()
        height = number(self.y + 10)
        grid = [
            f'<path class="g" d="M{number(self.x(at))} {number(top)}V{number(self.y)}"/>'
            for at in self._ticks()
        ]
        title = escape(f"{self.story.page.replace('_', '-')}: rows, windows, and the panes that left")
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(WIDTH)} {height}" '
                f'width="{number(WIDTH)}" height="{height}" role="img">',
                f"<title>{title}</title>",
                f"<style>{STYLE}</style>",
                f'<rect class="card" x=".5" y=".5" width="{number(WIDTH - 1)}" '
                f'height="{number(self.y + 9)}" rx="8"/>',
                *grid,
                *self.lines,
                "</svg>\n",
            ]
        )

    # Rows, where they came.

    def _lanes(self) -> None:
        for key in self.keys:
            self.y += LANE
            y = number(self.y)
            self._say(LEFT - 10, self.y + 4, key, "kt " + self.ink(key), "end")
            self.lines.append(f'<path class="g" d="M{number(LEFT)} {y}H{number(WIDTH - RIGHT)}"/>')
            for step, row in self.rows:
                if self.key_of(row.values) == key:
                    self._row(step, row, key)
        self.y += 20

    def _row(self, step: Told, row: Row, key: str) -> None:
        came, at = self.x(moment(row.came)), self.x(moment(row.at))
        ink, y = self.ink(key), self.y
        if came != at:
            # Where there is a label at each dot, the way back in time goes below it.
            down = 1 if self.story.label else -1
            middle, bend = number((came + at) / 2), number(y + 28 * down)
            start, end = number(y + DOT * down), number(y + 3 * down)
            self.lines.append(
                f'<path class="of {ink}" stroke-dasharray="3 2" d="M{number(came)} {start}'
                f'Q{middle} {bend} {number(at)} {end}"/>'
            )
            self.lines.append(f'<circle class="no {ink}" cx="{number(at)}" cy="{number(y)}" r="3"/>')
        kind = "no" if step.late else "dot"
        self.lines.append(
            f'<circle class="{kind} {ink}" cx="{number(came)}" cy="{number(y)}" r="{number(DOT)}"/>'
        )
        if step.late:
            cross = f"M{number(came - 3)} {number(y - 3)}l6 6m0 -6l-6 6"
            self.lines.append(f'<path class="of {ink}" d="{cross}"/>')
        if self.story.label:
            self._say(came, y - 11, str(row.values[self.story.label]), "t", "middle")

    # The time.

    def _axis(self) -> None:
        y = number(self.y)
        self.lines.append(f'<path class="a" d="M{number(LEFT)} {y}H{number(WIDTH - RIGHT)}"/>')
        for at in self._ticks():
            x = self.x(at)
            self.lines.append(f'<path class="a" d="M{number(x)} {y}v5"/>')
            self._say(x, self.y + 17, clock(at), "m", "middle")
        self.y += 26

    def _ticks(self) -> Iterator[datetime]:
        at = self.start
        while at <= self.end:
            yield at
            at += timedelta(minutes=self.story.tick)

    # Windows, and what left them.

    def _windows(self, key: str) -> None:
        for first, bar in enumerate(bars(self.story, self.steps, key, self)):
            if first == 0 and self.story.key:
                self._say(LEFT - 10, self.y + 12, key, "kt " + self.ink(key), "end")
            self._bar(bar, self.ink(key))

    def _bar(self, bar: Bar, ink: str) -> None:
        left, right = self.x(max(bar.start, self.start)), self.x(min(bar.end, self.end))
        left, width = (left, right - left) if right - left >= 4 else (left - 2, 4.0)
        self.lines.append(
            f'<rect class="bar {ink}" x="{number(left)}" y="{number(self.y)}" width="{number(width)}" '
            f'height="{number(BAR)}" rx="3"/>'
        )
        taken = [0.0]
        for at, said in bar.flags:
            x = self.x(at)
            wide = len(said) * LETTER + 2 * PAD
            x, across = (x, x + wide) if x + wide <= WIDTH - 4 else (x, x - wide)
            level = next((i for i, to in enumerate(taken) if to <= min(x, across)), len(taken))
            taken[level:] = [max(x, across) + 3]
            if x > left + width:
                line = f"M{number(left + width)} {number(self.y + BAR / 2)}H{number(x)}"
                self.lines.append(f'<path class="of {ink}" stroke-dasharray="1 3" d="{line}"/>')
            self._flag(x, self.y + level * (BAR + 3), wide, said, ink, across < x)
        self.y += LINE + (len(taken) - 1) * (BAR + 3)

    def _flag(self, x: float, y: float, wide: float, said: str, ink: str, leftwards: bool) -> None:
        to = -wide if leftwards else wide
        self.lines.append(
            f'<path class="flag {ink}" d="M{number(x)} {number(y - 3)}v{number(BAR + 6)}'
            f'h{"-" if not leftwards else ""}1.5v-3h{number(to)}v-{number(BAR)}h{number(-to)}z"/>'
        )
        self._say(x + to / 2, y + 12, said, "ft", "middle")

    def _late(self) -> None:
        late = [(row, found) for step, row in self.rows for found in step.late]
        if late:
            self._say(LEFT - 10, self.y + 12, "late", "m", "end")
        for row, found in late:
            x, key = self.x(moment(row.came)), self.key_of(row.values)
            said = f"late for {span(found['window'])}" if found["window"] else "in no window"
            self._say(x, self.y + 12, said, "kt " + self.ink(key), "start")
            self.lines.append(
                f'<path class="of {self.ink(key)}" d="M{number(x - 10)} {number(self.y + 5)}l6 6m0 -6l-6 6"/>'
            )
            self.y += LINE - 5

    # Small things.

    def x(self, at: datetime) -> float:
        """Where a moment lies, in pixels."""
        return LEFT + (at - self.start) / (self.end - self.start) * (WIDTH - LEFT - RIGHT)

    def key_of(self, values: dict[str, Any]) -> str:
        return str(values[self.story.key]) if self.story.key else "rows"

    def ink(self, key: str) -> str:
        return f"k{self.keys.index(key) % 2}"

    def _say(self, x: float, y: float, said: str, kind: str, anchor: str) -> None:
        place = f'x="{number(x)}" y="{number(y)}" text-anchor="{anchor}"'
        self.lines.append(f'<text class="{kind}" {place}>{escape(said)}</text>')


def bars(story: Story, steps: Sequence[Told], key: str, drawing: Drawing) -> list[Bar]:
    """The windows of a key that something was told of, in the order of their beginning and end."""
    found: dict[tuple[datetime, datetime], Bar] = {}
    for step in steps:
        for pane in step.panes:
            if drawing.key_of(pane) == key:
                window = pane.get("window") or {"start": drawing.start, "end": drawing.end}
                bounds = min(window.values()), max(window.values())
                bar = found.setdefault(bounds, Bar(key, *bounds))
                said = ", ".join(filter(None, (timing(pane), results(pane, story.key))))
                bar.flags.append((moment(step.when), said))
    return [found[bounds] for bounds in sorted(found)]


def number(value: float) -> str:
    """A length in pixels, as short as it can be told.

    >>> number(4.0), number(4.26)
    ('4', '4.3')
    """
    said = f"{value:.1f}".removesuffix(".0")
    return "0" if said == "-0" else said
