"""A job run: checked, started, watched, and stopped so that the next start goes on where it left off."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from headrace.errors import HeadraceError
from headrace.model.modes import Mode
from headrace.origin import Origin
from headrace.plan.nodes import Job, Node, Read, Write, all_nodes, upstream
from headrace.planner.divide import Query
from headrace.planner.physical import Physical, plan
from headrace.runtime.checkpoint import Checkpoints, root_of
from headrace.runtime.forms import form_of
from headrace.runtime.gauge import Gauge
from headrace.runtime.progress import JobProgress, QueryProgress, State, View
from headrace.settings import Project
from headrace.spark.compile import Compiler
from headrace.spark.engine import LOG, log_folder
from headrace.spark.failure import failed, lost_broker, told_by_spark, told_when_java_dies
from headrace.spark.package import travel
from headrace.spark.queries import (
    Starter,
    progress_since,
    run_batch,
    setting_of,
    state_teller,
    stop_gently,
)
from headrace.spark.storage import Storage
from headrace.time import SYSTEM_CLOCK, Clock

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

POLL = 0.25
QUIET = 3.0
STOP_LIMIT = 30.0
REVIVALS = 3
"""Starts in a row, without a word from the query, after which a broker that answers is no longer to blame."""


@dataclass(frozen=True)
class Summary:
    """What a run has done."""

    job: str
    mode: str
    seconds: float
    queries: tuple[QueryProgress, ...]

    @property
    def rows_in(self) -> int:
        return sum(query.rows_in for query in self.queries)


@dataclass
class Running:
    """One query under watch."""

    query: Query
    gauge: Gauge
    handle: StreamingQuery | None = None
    brokers: tuple[str, ...] = ()
    heard: float = 0.0
    revived: int = 0


@dataclass
class Run:
    """One run of a job. `stop` may be called from anywhere; Ctrl-C and SIGTERM call it."""

    job: Job
    mode: Mode
    spark: SparkSession
    project: Project
    view: View
    checkpoint: str | None = None
    every: int = 0
    stop_after: float | None = None
    stop_when: Callable[[JobProgress], bool] | None = None
    origin: Origin | None = None
    clock: Clock = SYSTEM_CLOCK
    _stopping: threading.Event = field(default_factory=threading.Event)

    def go(self) -> Summary:
        """Run to the end, or until stopped."""
        with told_when_java_dies(str(log_folder(self.project) / LOG)):
            return self._go(self.clock.monotonic())

    def _go(self, began: float) -> Summary:
        travel(self.project, self.job)
        compiler = Compiler(self.spark, self.project, self.mode)
        physical = plan(self.job, self.mode, state_teller(compiler))
        resolve(compiler, self.job)
        if self.mode is Mode.BATCH:
            return self._batch(physical, compiler, began)
        return self._stream(physical, compiler, began)

    def stop(self) -> None:
        """Ask the run to stop between two batches."""
        self._stopping.set()

    # Batch.

    def _batch(self, physical: Physical, compiler: Compiler, began: float) -> Summary:
        told = []
        for query in physical.queries:
            with told_by_spark(query.name, query.writes[0].origin, str(log_folder(self.project) / LOG)):
                counting = compiler.again(setting_of(query, compiler.setting, None))
                run_batch(query, counting, self.view.show)
            gauge = Gauge(query.name, State.FINISHED)
            gauge.count(counting.counts())
            told.append(gauge.picture(self.clock.monotonic()))
        return self._summary(tuple(told), began)

    # Streaming.

    def _stream(self, physical: Physical, compiler: Compiler, began: float) -> Summary:
        places = Checkpoints(
            root_of(self.project, self.job.name, self.checkpoint),
            self.job.name,
            Storage(self.spark),
            state_teller(compiler),
            self.origin,
        )
        starter = Starter(compiler, places.folder, self.view.show, self.every)
        for query in physical.queries:
            places.claim(query, form_of(starter.compiled(query), query))
        running = [
            Running(query, Gauge(query.name), brokers=tuple(sorted(brokers_of(query, self.project))))
            for query in physical.queries
        ]
        with self._signals():
            try:
                for one in running:
                    one.handle = starter.start(one.query)
                    one.heard = self.clock.monotonic()
                self._watch(running, starter, began)
            finally:
                self._stop_all(running, starter)
                if any(one.gauge.state is State.FAILED for one in running):
                    self._tell(running, began)
        return self._summary(tuple(one.gauge.picture(self.clock.monotonic()) for one in running), began)

    def _watch(self, running: list[Running], starter: Starter, began: float) -> None:
        while True:
            for one in running:
                self._look(one, starter)
            if all(one.gauge.state is State.FINISHED for one in running):
                return
            progress = self._tell(running, began)
            if self.stop_when is not None and self.stop_when(progress):
                return
            if self.stop_after is not None and self.clock.monotonic() - began >= self.stop_after:
                return
            if self._stopping.wait(POLL):
                return

    def _look(self, one: Running, starter: Starter) -> None:
        """Hear what a query has to tell, and see to it when it has stopped."""
        if one.gauge.state is State.FINISHED:
            return
        if one.handle is None:
            self._revive(one, starter)
            return
        active = one.handle.isActive
        for report in progress_since(one.handle, one.gauge.seen):
            one.gauge.take(report)
            one.heard = self.clock.monotonic()
            one.revived = 0
            self._running_again(one)
        self._counted(one, starter)
        if active:
            self._probe(one)
            return
        self._ended(one, starter)

    def _counted(self, one: Running, starter: Starter) -> None:
        one.gauge.count(starter.counts(one.query))
        one.gauge.kept(starter.kept(one.query))

    def _ended(self, one: Running, starter: Starter) -> None:
        assert one.handle is not None
        problem = one.handle.exception()
        if problem is None:
            one.gauge.state = State.FINISHED
            return
        said = str(problem)
        away = bool(one.brokers) and not self._answer(one)
        if away or (one.brokers and lost_broker(said) and one.revived < REVIVALS):
            one.handle = None
            self._wait_for_broker(one)
            return
        one.gauge.state = State.FAILED
        known = starter.failures.get(one.query.name)
        if known is not None:
            raise known
        log = str(log_folder(self.project) / LOG)
        raise failed(one.query.name, said, one.query.writes[0].origin, log)

    def _probe(self, one: Running) -> None:
        """A query that has gone quiet may be waiting for its broker; then say so."""
        if not one.brokers or self.clock.monotonic() - one.heard < QUIET:
            return
        if self._answer(one):
            self._running_again(one)
        else:
            self._wait_for_broker(one)

    def _revive(self, one: Running, starter: Starter) -> None:
        if self._answer(one):
            one.handle = starter.start(one.query)
            one.heard = self.clock.monotonic()
            one.revived += 1
            self._running_again(one)

    def _wait_for_broker(self, one: Running) -> None:
        if one.gauge.state is not State.WAITING:
            one.gauge.state = State.WAITING
            one.gauge.message = f"the broker {', '.join(one.brokers)} does not answer; waiting for it"

    def _running_again(self, one: Running) -> None:
        if one.gauge.state is State.WAITING:
            self.view.say(f"{one.query.name}: the broker is back; going on")
        if one.gauge.state in (State.STARTING, State.WAITING):
            one.gauge.state, one.gauge.message = State.RUNNING, ""

    def _answer(self, one: Running) -> bool:
        from headrace.broker.health import answers

        return all(answers(servers, timeout=1.0) for servers in one.brokers)

    def _stop_all(self, running: list[Running], starter: Starter) -> None:
        """Stop what still runs: between two batches where one can be waited for, else at once."""
        left = [(one, one.handle) for one in running if one.handle is not None and one.handle.isActive]
        in_order = (State.STARTING, State.RUNNING)
        gentle = [handle for one, handle in left if one.gauge.state in in_order]
        stop_gently([handle for one, handle in left if one.gauge.state not in in_order], 0.0)
        stop_gently(gentle, 0.0 if self.mode is Mode.REAL_TIME else STOP_LIMIT)
        for one, handle in left:
            for report in progress_since(handle, one.gauge.seen):
                one.gauge.take(report)
            self._counted(one, starter)
            if one.gauge.state is not State.FAILED:
                one.gauge.state = State.STOPPED

    def _tell(self, running: list[Running], began: float) -> JobProgress:
        now = self.clock.now()
        pictures = tuple(one.gauge.picture(self.clock.monotonic()) for one in running)
        progress = JobProgress(self.job.name, str(self.mode), now, self.clock.monotonic() - began, pictures)
        self.view.update(progress)
        return progress

    def _summary(self, queries: tuple[QueryProgress, ...], began: float) -> Summary:
        seconds = self.clock.monotonic() - began
        self.view.update(JobProgress(self.job.name, str(self.mode), self.clock.now(), seconds, queries))
        return Summary(self.job.name, str(self.mode), seconds, queries)

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """Ctrl-C and SIGTERM stop the run cleanly; a second one stops at once."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def asked(number: int, _frame: Any) -> None:
            if self._stopping.is_set():
                raise KeyboardInterrupt
            self.view.say(f"{signal.Signals(number).name}: stopping after the present batch (again: at once)")
            self._stopping.set()

        before = {number: signal.signal(number, asked) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def resolve(compiler: Compiler, job: Job) -> None:
    """Let Spark read and type every node; the first that does not fit is told at its own line."""
    for node in all_nodes(job):
        if not isinstance(node, Write):
            compiler.frame(node)


def preflight(job: Job, project: Project) -> None:
    """See that what the job reads and writes is there."""
    for node in all_nodes(job):
        try:
            if isinstance(node, Read):
                node.source.preflight(project)
            elif isinstance(node, Write):
                node.sink.ready(project)
        except HeadraceError as error:
            error.origin = error.origin or node.origin
            raise


def brokers_of(query: Query, project: Project) -> set[str]:
    found: set[str | None] = {write.sink.brokers(project) for write in query.writes}
    nodes: list[Node] = [node for write in query.writes for node in upstream(write.input)]
    found |= {node.source.brokers(project) for node in nodes if isinstance(node, Read)}
    return {servers for servers in found if servers}
