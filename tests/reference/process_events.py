"""Events for the model of `process()`, drawn by Hypothesis: rows with deeds, ticks and marks."""

from __future__ import annotations

from hypothesis import strategies as st

from reference.records import Drain, Event, Mark, Row, Tick


@st.composite
def events(
    draw: st.DrawFn, *, keys: str = "abc", partitions: int = 1, most: int = 40, clocks: bool = True
) -> list[Event]:
    """Rows five seconds apart or less, some of them late, with now and then a tick or a mark; then the drain."""
    count = draw(st.integers(most // 2, most))
    made: list[Event] = []
    time = now = 0
    for _ in range(count):
        kind = draw(st.sampled_from("r" * 18 + ("tm" if clocks else "")))
        if kind == "t":
            now += draw(st.sampled_from((1, 5, 20)))
            made.append(Tick(now))
        elif kind == "m":
            made.append(Mark(draw(st.integers(0, partitions - 1)), time + draw(st.sampled_from((0, 5, 30)))))
        else:
            time += draw(st.sampled_from((0, 1, 2, 5)))
            back = draw(st.sampled_from((0, 0, 0, 3, 12)))
            deed = draw(st.sampled_from((0, 1, 1, 1, 2, 3, 4)))
            value = 10 * deed + draw(st.integers(0, 4))
            partition, key = draw(st.integers(0, partitions - 1)), draw(st.sampled_from(keys))
            made.append(Row(partition, max(0, time - back), key=key, value=value))
    return [*made, Drain()]
