"""From Kafka to a keyed operator to Kafka: how long an event takes, and how long after its end a window
closes.

A load generator and a consumer run in processes of their own; an event carries the moment at which it was
handed to the producer's client, and its latency ends when the consumer's client hands on what the job
made of it. Each job first gets 25 seconds of load that do not count, then each rate in turn. Broker,
generator, consumer and job share 2 cores. `count`: a running count of each of 1,000 keys, every event
giving a result. `close`: counts of windows of 100 ms, from a window's end to its result at the consumer,
which includes the wait for the event that moves the watermark (the source has two partitions, an event
each 2 ms).

Flink runs with buffers of 1 ms and of 100 ms (its default). Jobs checkpoint each 5 minutes, so that none
does while it is measured; micro-batch does at each batch.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.kafka import Place, broker
from bench.peers.environment import PROGRAMS, PeerUnavailable, bare_environment
from bench.peers.systems import CORES, FLINK
from bench.report import Result

SUITE = "latency"
KEYS = 1_000
RATES = (1_000, 10_000, 30_000)
OURS = {"headrace, real time": "real-time", "headrace, micro-batch": "micro-batch"}
FLINKS = {"pyflink, buffers 1 ms": "1 ms", "pyflink, buffers 100 ms": "100 ms"}
PERCENTILES = {"p50": 50.0, "p99": 99.0, "max": 100.0}


@dataclass(frozen=True)
class Size:
    """Seconds of load before anything counts, and at each rate; seconds that a job may take to answer."""

    warm: float
    each: float
    patience: float = 120.0


def run(*, quick: bool) -> list[Result]:
    size = Size(5, 3) if quick else Size(25, 10)
    results: list[Result] = []
    with tempfile.TemporaryDirectory(prefix="headrace-bench-") as name, broker(Path(name)) as place:
        source = place.topic("events", CORES)
        for work, rates in (("count", RATES), ("close", RATES[:1])):
            for system in (*OURS, *FLINKS):
                try:
                    found = list(_measured(place, source, work, system, rates, size))
                except PeerUnavailable as error:
                    found = [Result(SUITE, work, system, "p99", None, "ms", note=str(error))]
                results += found
                for result in found:
                    value = result.note if result.value is None else f"{result.value:,.1f} ms"
                    print(f"  {work}, {result.system}: {result.metric} {value}", flush=True)
    return results


def _measured(
    place: Place, source: str, work: str, system: str, rates: tuple[int, ...], size: Size
) -> Iterator[Result]:
    name = f"{work}-{system}".replace(", ", "-").replace(" ", "-")
    target = place.topic(name, CORES)
    with _job(place, name, _job_of(place, source, target, work, system)) as running:
        _answering(place, source, target, work, running, size)
        _load(place, source, rates[-1] // 3, size.warm)
        for rate in rates:
            with _watching(place, target, work) as seen:
                sent = _load(place, source, rate, size.each)
            if running.poll() is not None:
                raise PeerUnavailable("the job ended")
            yield from _results(work, system, rate, np.load(seen), sent)


def _results(work: str, system: str, rate: int, seen: np.ndarray, sent: dict[str, Any]) -> Iterator[Result]:
    came, said = seen
    taken = (came - said) / 1000
    where = f"{work} at {rate:,} events/s"
    # Of so many events all must come back, or the load was more than the job could take.
    note = (
        ""
        if work == "close" or len(taken) >= 0.98 * sent["sent"]
        else f"{len(taken):,} of {sent['sent']:,} came"
    )
    if sent["behind"] > 200:
        note = f"the load fell {sent['behind']:.0f} ms behind its time"
    for metric, percentile in PERCENTILES.items():
        value = float(np.percentile(taken, percentile)) if len(taken) else None
        yield Result(SUITE, where, system, metric, value, "ms", len(taken), KEYS, note)


# Processes.


def _job_of(place: Place, source: str, target: str, work: str, system: str) -> list[str]:
    """The command of a job."""
    job: dict[str, Any] = {"work": work, "source": source, "target": target, "servers": place.servers}
    if system in OURS:
        job |= {"mode": OURS[system], "checkpoint": str(place.folder / f"checkpoint-{target}")}
        return [sys.executable, "-m", "bench.latency_job", json.dumps(job)]
    FLINK.install()
    job |= {"buffer": FLINKS[system], "jars": str(FLINK.folder / "jars"), "cores": CORES}
    asked = place.folder / f"{target}.json"
    asked.write_text(json.dumps(job), encoding="utf-8")
    return [str(FLINK.python), str(PROGRAMS / "flink_latency.py"), str(asked)]


@contextmanager
def _job(place: Place, name: str, command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A job in a session of its own, which is ended with all that it has started."""
    ours = command[0] == sys.executable
    here = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(here)} if ours else bare_environment()
    said = place.folder / f"{name}.log"
    with said.open("wb") as log:
        running = subprocess.Popen(
            command, cwd=place.folder, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            start_new_session=True,
        )  # fmt: skip
        try:
            yield running
        finally:
            for number, seconds in ((signal.SIGTERM, 20), (signal.SIGKILL, 10)):
                try:
                    os.killpg(running.pid, number)
                    running.wait(seconds)
                except (ProcessLookupError, subprocess.TimeoutExpired):
                    continue


def _answering(
    place: Place, source: str, target: str, work: str, running: subprocess.Popen[bytes], size: Size
) -> None:
    """Send a little until the job answers."""
    deadline = time.monotonic() + size.patience
    while time.monotonic() < deadline:
        with _watching(place, target, work) as seen:
            _load(place, source, 100, 2)
            time.sleep(1)
        if running.poll() is not None:
            raise PeerUnavailable("the job did not start")
        if np.load(seen).shape[1]:
            return
    raise PeerUnavailable(f"no answer in {size.patience:.0f} s")


def _load(place: Place, source: str, rate: int, seconds: float) -> dict[str, Any]:
    job = {"servers": place.servers, "topic": source, "partitions": CORES, "keys": KEYS}
    told = subprocess.run(
        [sys.executable, "-m", "bench.load", json.dumps({**job, "rate": rate, "seconds": seconds})],
        cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, timeout=seconds * 4 + 60, check=True,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(told.stdout)
    return found


@contextmanager
def _watching(place: Place, target: str, work: str) -> Iterator[Path]:
    """The file with what came meanwhile; it is there when the context is left."""
    seen = place.folder / f"seen-{time.monotonic_ns()}.npy"
    field = "sent" if work == "count" else "ends"
    job = {"servers": place.servers, "topic": target, "field": field, "out": str(seen)}
    watcher = subprocess.Popen(
        [sys.executable, "-m", "bench.watch", json.dumps(job)],
        cwd=Path(__file__).parents[2], stdin=subprocess.PIPE,
    )  # fmt: skip
    try:
        time.sleep(1.5)
        yield seen
        assert watcher.stdin is not None
        watcher.stdin.close()
        watcher.wait(60)
    finally:
        if watcher.poll() is None:
            watcher.kill()
            watcher.wait()
