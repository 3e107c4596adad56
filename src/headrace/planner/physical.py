"""The physical plan of a job in a mode: its steps, its queries, and what it promises."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.errors import Unsupported
from headrace.model.delivery import Delivery, Guarantee, weakest
from headrace.model.modes import Mode
from headrace.plan.nodes import Job, Node, Read, Write, all_nodes, upstream
from headrace.planner.check import against_real_time, check
from headrace.planner.divide import KeepsState, Query, divide
from headrace.planner.support import Support, support


@dataclass(frozen=True)
class Physical:
    """How a job will run."""

    job: Job
    mode: Mode
    steps: tuple[tuple[Node, Support], ...]
    queries: tuple[Query, ...]
    real_time: tuple[tuple[Node, str], ...]

    def guarantee(self, write: Write) -> Guarantee:
        """What is promised of the rows of an output, and by which part."""
        found = [write.sink.guarantee(self.mode)]
        found += [
            Guarantee(Delivery.AT_MOST_ONCE, f"{node.source.text} cannot replay")
            for node in upstream(write.input)
            if isinstance(node, Read) and not node.source.replayable
        ]
        if self.mode is Mode.REAL_TIME:
            found.append(Guarantee(Delivery.AT_LEAST_ONCE, "real time repeats up to a batch after a failure"))
        if self.mode is Mode.BATCH:
            found.append(Guarantee(Delivery.EXACTLY_ONCE, "a batch run"))
        return weakest(found)


def plan(job: Job, mode: Mode, keeps_state: KeepsState) -> Physical:
    """Check the job, and say how it will run."""
    check(job, mode, keeps_state)
    queries = divide(job.writes, keeps_state)
    reasons = real_time_reasons(queries, keeps_state)
    if mode is Mode.REAL_TIME and reasons:
        node, reason = reasons[0]
        raise Unsupported(
            f"the job cannot run in real time: {reason}",
            hint="run it in micro-batch; `headrace explain --mode real-time` lists every reason",
            origin=node.origin,
        )
    steps = tuple((node, support(node, sql_keeps_state=keeps_state(node))) for node in all_nodes(job))
    return Physical(job, mode, steps, tuple(queries), tuple(reasons))


def real_time_reasons(queries: list[Query], keeps_state: KeepsState) -> list[tuple[Node, str]]:
    return [reason for query in queries for reason in against_real_time(query, keeps_state)]
