"""`python -m timelines` runs every story, and writes the pictures and tables of the docs."""

from __future__ import annotations

import tempfile
from pathlib import Path

from timelines.everything import files

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files(Path(folder)).items():
            path.write_text(text, encoding="utf-8")
            print(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
