"""Small files on whatever file system Spark knows: a folder, HDFS, S3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Storage:
    """Reads and writes small text files through Spark's own file systems."""

    def __init__(self, spark: SparkSession) -> None:
        self._jvm: Any = spark._jvm
        self._conf = spark._jsc.hadoopConfiguration()

    def read(self, path: str) -> str | None:
        """The file's text; None when there is no such file."""
        at, system = self._find(path)
        if not system.exists(at):
            return None
        stream = system.open(at)
        try:
            return bytes(stream.readAllBytes()).decode()
        finally:
            stream.close()

    def write(self, path: str, text: str) -> None:
        """Write the file whole, in place of what was there."""
        at, system = self._find(path)
        stream = system.create(at, True)
        try:
            stream.write(bytearray(text.encode()))
        finally:
            stream.close()

    def exists(self, path: str) -> bool:
        at, system = self._find(path)
        return bool(system.exists(at))

    def _find(self, path: str) -> tuple[Any, Any]:
        at = self._jvm.org.apache.hadoop.fs.Path(path)
        return at, at.getFileSystem(self._conf)
