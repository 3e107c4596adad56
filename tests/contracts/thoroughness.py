"""How many cases Hypothesis makes: the same few at every run, or as many new ones as HEADRACE_EXAMPLES says."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

EXAMPLES = int(os.environ.get("HEADRACE_EXAMPLES") or 0)


def thorough(examples: int) -> settings:
    """So many cases; with HEADRACE_EXAMPLES that many, and others at every run."""
    return settings(
        max_examples=EXAMPLES or examples,
        deadline=None,
        derandomize=not EXAMPLES,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
