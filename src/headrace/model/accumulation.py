"""What a pane holds of its window: just what is new, or all so far, or that with the last one taken back."""

from __future__ import annotations

from enum import StrEnum


class Accumulation(StrEnum):
    """Which rows of its window a pane holds: those since the last pane, or all so far.

    Retracting holds all so far, and first takes the last pane back: its rows say in `op` whether they are new
    ('+I', '+U') or taken back ('-U', '-D').
    """

    DISCARDING = "discarding"
    ACCUMULATING = "accumulating"
    RETRACTING = "retracting"


discarding = Accumulation.DISCARDING
accumulating = Accumulation.ACCUMULATING
retracting = Accumulation.RETRACTING
