"""Spark's functions before there is a session: F.count('*') builds an expression, and needs just a JVM."""

from __future__ import annotations

from functools import wraps
from typing import Any

from headrace.settings import Project
from headrace.spark.engine import launch


class _Standin:
    """What Spark's functions take for the active context until there is one: it starts the JVM when asked."""

    def __bool__(self) -> bool:
        return False

    @property
    def _jvm(self) -> Any:
        from pyspark import SparkContext

        launch(Project.find(), {})
        return SparkContext._jvm

    @property
    def _gateway(self) -> Any:
        from pyspark import SparkContext

        launch(Project.find(), {})
        return SparkContext._gateway


def allow_columns_before_session() -> None:
    """Let Column expressions be built before a session is started, by anyone, in any way."""
    from pyspark import SparkContext

    if SparkContext._active_spark_context is not None:
        return
    SparkContext._active_spark_context = _Standin()  # type: ignore[assignment]
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
