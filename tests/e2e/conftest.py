"""Fixtures of whole jobs."""

from __future__ import annotations

from pathlib import Path

import pytest
from shop import Shop


@pytest.fixture
def shop(tmp_path: Path, broker: str) -> Shop:
    """A project on the session's broker."""
    project = Shop(tmp_path)
    project.write("headrace.toml", f'[kafka]\nservers = "{broker}"\n')
    return project


@pytest.fixture
def bare_shop(tmp_path: Path) -> Shop:
    """A project without a broker."""
    project = Shop(tmp_path)
    project.write("headrace.toml", "")
    return project
