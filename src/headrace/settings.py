"""The project that a command or a job belongs to: its folder, and what `headrace.toml` says."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from headrace.errors import InvalidOption

FILE = "headrace.toml"
STATE = ".headrace"


@dataclass(frozen=True)
class Project:
    """A folder with an optional `headrace.toml`; what Headrace keeps for it lies in `.headrace/`."""

    root: Path
    table: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def find(cls, start: Path | None = None) -> Project:
        """The nearest folder, from `start` up, that has a `headrace.toml` or a `.headrace`; else `start`."""
        start = (start or Path.cwd()).resolve()
        for folder in (start, *start.parents):
            if (folder / FILE).is_file():
                return cls(folder, _read(folder / FILE))
            if (folder / STATE).is_dir() and folder != Path.home():
                return cls(folder)
        return cls(start)

    @cached_property
    def state(self) -> Path:
        return self.root / STATE

    def get(self, section: str, key: str, default: Any = None) -> Any:
        """A setting: `HEADRACE_SECTION_KEY` in the environment, else the table, else the default."""
        from_environment = os.environ.get(f"HEADRACE_{section}_{key}".upper())
        if from_environment is not None:
            return from_environment
        return self.table.get(section, {}).get(key, default)

    def section(self, section: str) -> dict[str, Any]:
        return dict(self.table.get(section, {}))


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise InvalidOption(f"{path} is not valid TOML: {error}", hint="mend that line of the file") from None


def cache_folder() -> Path:
    """Where downloads are kept for this user, shared by all projects."""
    if given := os.environ.get("HEADRACE_CACHE"):
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "headrace"
