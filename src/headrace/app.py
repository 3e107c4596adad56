"""An app: streams gathered under a name, then run, checked or explained as one job."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headrace.connect.source import Source
from headrace.errors import InvalidOption, JobError, Unsupported, hide_our_frames
from headrace.model.expression import Expression, expr
from headrace.model.modes import Mode, choice
from headrace.origin import here
from headrace.plan.nodes import Job, Read
from headrace.settings import Project
from headrace.streams.stream import Stream, unused
from headrace.time import Duration, micros

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from headrace.planner.explain import Explained
    from headrace.planner.physical import Physical
    from headrace.runtime.progress import JobProgress, View
    from headrace.runtime.run import Summary
    from headrace.spark.compile import Compiler


class App:
    """A job under a name. Reading and writing describe it; `run` runs it."""

    def __init__(
        self,
        name: str,
        *,
        master: str | None = None,
        conf: Mapping[str, str] | None = None,
        checkpoint: str | None = None,
    ) -> None:
        if not isinstance(name, str) or not name.strip():
            raise InvalidOption(f"{name!r} is not a name", hint="name the app: hr.App('page-views')")
        from headrace.spark.columns import allow_columns_before_session
        from headrace.spark.session import launch_conf

        hide_our_frames()
        asked = _LOADING[-1] if _LOADING else Asked()
        self.name = name
        self.job = Job(name)
        self.master = asked.master or master
        self.conf = {**(conf or {}), **asked.conf}
        self.checkpoint = checkpoint
        self._origin = here()
        allow_columns_before_session(self.project, launch_conf(self.project, self.master, self.conf))

    def read(
        self,
        source: Source | DataFrame,
        *,
        event_time: str | None = None,
        delay: Duration = "0 seconds",
        idle: Duration = "30 seconds",
        watermark: Expression | None = None,
        name: str | None = None,
    ) -> Stream:
        """A stream of the source's rows.

        `event_time` names the column that says when a row happened; `delay` is how late rows may come before
        windows that they belong to are closed. A partition of the source that is silent for `idle` no longer
        holds the others back. `watermark`, in place of `delay`, is a time that rows carry: where it is not
        null, no older row is expected.
        """
        if not isinstance(source, Source):
            from headrace.connectors.dataframe import dataframe

            source = dataframe(source)
        if event_time is not None and not isinstance(event_time, str):
            raise InvalidOption(
                f"event_time {event_time!r} is not a column's name", hint="write event_time='ts'"
            )
        called = name or unused(source.address, {read.name for read in self.job.reads})
        if called in {read.name for read in self.job.reads}:
            raise InvalidOption(f"two sources are named '{called}'", hint="give one of them another name=")
        node = Read(
            source=source,
            name=called,
            event_time=event_time,
            delay=micros(delay, "delay", zero=True),
            idle=micros(idle, "idle"),
            watermark=None if watermark is None else expr(watermark),
            origin=here(),
        )
        _watermarked(node)
        self.job.reads.append(node)
        return Stream(node, self.job)

    def run(
        self,
        *,
        mode: str = "micro-batch",
        master: str | None = None,
        every: Duration = "0 seconds",
        checkpoint: str | None = None,
        stop_after: Duration | None = None,
        stop_when: Callable[[JobProgress], bool] | None = None,
        conf: Mapping[str, str] | None = None,
        view: View | None = None,
    ) -> Summary:
        """Run the job until it ends, or until Ctrl-C or SIGTERM; a later run goes on where this one stopped.

        `mode` is batch, available-now, micro-batch or real-time; `every` is the least time between the starts
        of two micro-batches, and in real time the length of one (5 minutes, if it is not said). `stop_after`
        ends the run after so long; `stop_when` is asked four times a second with the job's progress, and ends
        it by True.
        """
        from headrace.runtime.run import Run, preflight
        from headrace.spark.session import session

        if _LOADING:
            raise JobError(
                "app.run() is called while the file is being read",
                hint='put it under: if __name__ == "__main__":',
            )
        how = choice(Mode, mode, "mode")
        limit = None if stop_after is None else micros(stop_after, "stop_after") / 1_000_000
        project = self.project
        preflight(self.job, project)
        spark = session(
            self.name,
            project,
            master=master or self.master,
            conf={**self.conf, **(conf or {})},
            real_time=how is Mode.REAL_TIME,
        )
        shown = view or terminal_view()
        run = Run(
            job=self.job,
            mode=how,
            spark=spark,
            project=project,
            view=shown,
            checkpoint=checkpoint or self.checkpoint,
            every=micros(every, "every", zero=True),
            stop_after=limit,
            stop_when=stop_when,
            origin=self._origin,
        )
        try:
            return run.go()
        finally:
            shown.close()

    def validate(self, *, mode: str = "micro-batch") -> Physical:
        """Resolve the whole job, as a run would, without reading or writing anything."""
        from headrace.planner.physical import plan
        from headrace.runtime.run import resolve
        from headrace.spark.queries import state_teller

        compiler = self._compiler(mode)
        physical = plan(self.job, compiler.mode, state_teller(compiler))
        resolve(compiler, self.job)
        return physical

    def explain(self, *, mode: str = "micro-batch") -> Explained:
        """How the job will run; when it cannot run in real time, how it would in micro-batch, and why not."""
        from headrace.planner.explain import explain

        try:
            return explain(self.validate(mode=mode))
        except Unsupported:
            if mode != Mode.REAL_TIME:
                raise
            return explain(self.validate())

    def spark_plans(self, *, mode: str = "micro-batch") -> dict[str, str]:
        """Spark's own plan of each query."""
        physical = self.validate(mode=mode)
        compiler = self._compiler(mode)
        return {
            query.name: compiler.frame(query.cut)._jdf.queryExecution().toString()
            for query in physical.queries
        }

    def _compiler(self, mode: str) -> Compiler:
        from headrace.spark.compile import Compiler
        from headrace.spark.session import session

        how = choice(Mode, mode, "mode")
        spark = session(self.name, self.project, master=self.master, conf=self.conf)
        return Compiler(spark, self.project, how)

    @property
    def project(self) -> Project:
        """The project that the app's file lies in."""
        origin = self._origin
        start = Path(origin.file).parent if origin and Path(origin.file).is_file() else None
        return Project.find(start)

    def __repr__(self) -> str:
        return f"App({self.name!r}, reads {len(self.job.reads)}, writes {len(self.job.writes)})"

    def __dir__(self) -> list[Any]:
        return [name for name in super().__dir__() if not name.startswith("__")]


@dataclass(frozen=True)
class Asked:
    """What a command line asks of the app in a file, which the file's own code does not know."""

    master: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict)


_LOADING: list[Asked] = []
"""What is asked of files that are being loaded, innermost last; empty outside of loading."""


@contextmanager
def while_loading(asked: Asked) -> Iterator[None]:
    """A file is being read for the app in it: nothing in it may start a run of its own."""
    _LOADING.append(asked)
    try:
        yield
    finally:
        _LOADING.pop()


def _watermarked(node: Read) -> None:
    """Raise what is wrong with a watermark that rows carry."""
    if node.watermark is None:
        return
    if node.event_time is None:
        raise InvalidOption(
            f"watermark '{node.watermark}' says how far event time has come, and no event_time is named",
            hint="name the column of event time too: app.read(…, event_time='ts', watermark=…)",
        )
    if node.delay:
        raise InvalidOption(
            "watermark= and delay= both say how far event time has come",
            hint="leave delay out; or take it off the watermark: watermark=\"mark - INTERVAL '10 seconds'\"",
        )


def terminal_view() -> View:
    """What shows a run where nothing else was asked for: a live block in a terminal, else plain lines."""
    from headrace.terminal.live import view

    return view()


def stream(frame: DataFrame) -> Stream:
    """Any Spark DataFrame as a stream of no app; `.df` gives a DataFrame back."""
    from headrace.connectors.dataframe import dataframe

    return Stream(Read(source=dataframe(frame), name="dataframe", origin=here()), None)
