"""Spark's functions before there is a session: F.count('*') builds an expression, and needs just a JVM."""

from __future__ import annotations

from collections.abc import Mapping
from functools import wraps
from typing import Any

from headrace.settings import Project
from headrace.spark.engine import launch


class _Standin:
    """What Spark's functions take for the active context until there is one: it starts the JVM when asked."""

    def __init__(self, project: Project, conf: Mapping[str, str]) -> None:
        self.project = project
        self.conf = conf

    def __bool__(self) -> bool:
        return False

    @property
    def _jvm(self) -> Any:
        from pyspark import SparkContext

        launch(self.project, self.conf)
        return SparkContext._jvm

    @property
    def _gateway(self) -> Any:
        from pyspark import SparkContext

        launch(self.project, self.conf)
        return SparkContext._gateway


def allow_columns_before_session(project: Project, conf: Mapping[str, str]) -> None:
    """Let Column expressions be built before a session is started; a JVM they need is started with `conf`."""
    from pyspark import SparkContext

    forget()
    if SparkContext._active_spark_context is not None:
        return
    SparkContext._active_spark_context = _Standin(project, conf)  # type: ignore[assignment]
    if hasattr(SparkContext.getOrCreate, "headrace"):
        return
    usual = SparkContext.getOrCreate.__func__  # type: ignore[attr-defined]

    @wraps(usual)
    def get_or_create(cls: type[SparkContext], conf: Any = None) -> SparkContext:
        forget()
        return usual(cls, conf)  # type: ignore[no-any-return]

    get_or_create.headrace = True  # type: ignore[attr-defined]
    SparkContext.getOrCreate = classmethod(get_or_create)  # type: ignore[method-assign,assignment]


def forget() -> None:
    """Make way for a real context."""
    from pyspark import SparkContext

    active: Any = SparkContext._active_spark_context
    if isinstance(active, _Standin):
        SparkContext._active_spark_context = None
