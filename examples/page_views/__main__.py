"""The whole demo, from an empty folder to a summary that is checked.

It starts a Kafka of its own unless it is up, has a generator send page views for a while, runs the job in
`job.py` on them, and ends when every view has been through it. Ctrl-C stops it earlier.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import headrace as hr
from examples.page_views import check
from examples.page_views.job import app, counts
from headrace.broker.admin import create_topic, delete_topic, topic_names
from headrace.broker.records import consume
from headrace.broker.server import Broker
from headrace.errors import HeadraceError
from headrace.runtime.progress import JobProgress, Silent

HERE = Path(__file__).parent
DEMO = HERE / ".headrace" / "demo"
SENT = DEMO / "sent.jsonl"
TOPICS = {"page-views": 3, "page-alerts": 1}
RATE, SECONDS = 200, 20
INTERRUPTED = 130


def main() -> int:
    """Run the demo; gives the exit code."""
    parser = argparse.ArgumentParser(prog="python -m examples.page_views", description=__doc__)
    parser.add_argument("--rate", type=int, default=200, help="page views a second")
    parser.add_argument("--seconds", type=float, default=20.0, help="for how long")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, _terminated)
    broker = Broker(app.project)
    was_up = broker.status().up
    try:
        return demo(broker, given.rate, given.seconds)
    except HeadraceError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    except KeyboardInterrupt:
        sys.stderr.write("\nstopped; nothing was checked\n")
        return INTERRUPTED
    finally:
        if not was_up:
            broker.down()


def demo(broker: Broker, rate: int, seconds: float) -> int:
    began = time.monotonic()
    print("starting Kafka and Spark", flush=True)
    kept = hr.memory("counts")
    counts.write(kept, output="update")
    servers = _prepared(broker)
    print(f"Kafka is up at {servers}; {rate} page views a second for {seconds:g} s", flush=True)
    with _generator(servers, rate, seconds) as generator:
        app.run(
            every="1 second",
            stop_after="3 minutes",
            checkpoint=str(DEMO / "checkpoint"),
            stop_when=lambda progress: _all_through(progress, generator),
        )
        if generator.poll() is None:
            raise KeyboardInterrupt
        refused = generator.returncode != 0
    findings = _findings(servers, kept.rows)
    return _summary(findings, refused, time.monotonic() - began)


def _prepared(broker: Broker) -> str:
    """Kafka up, with empty topics; Spark meanwhile reads the job through, which starts it."""
    shutil.rmtree(DEMO, ignore_errors=True)
    DEMO.mkdir(parents=True)
    with ThreadPoolExecutor() as side:
        spark = side.submit(app.validate)
        servers = str(broker.up().servers)
        there = topic_names(servers)
        for name, partitions in TOPICS.items():
            if name in there:
                delete_topic(servers, name)
            create_topic(servers, name, partitions=partitions)
        spark.result()
    return servers


@contextmanager
def _generator(servers: str, rate: int, seconds: float) -> Iterator[subprocess.Popen[bytes]]:
    """The generator, in a process that Ctrl-C does not reach and that does not outlive the demo."""
    command = [sys.executable, str(HERE / "generator.py"), "--servers", servers, "--sent", str(SENT)]
    process = subprocess.Popen(
        [*command, "--rate", str(rate), "--seconds", str(seconds)], start_new_session=True
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def _all_through(progress: JobProgress, generator: subprocess.Popen[bytes]) -> bool:
    """Whether the generator is done, and every query has read as many views as Kafka took."""
    if generator.poll() is None:
        return False
    sent = len(check.sent_views(SENT))
    return all(query.rows_in >= sent for query in progress.queries)


def _findings(servers: str, counted: list[dict[str, Any]]) -> list[check.Finding]:
    sent = check.sent_views(SENT)
    failed = [view["seq"] for view in sent if view["status"] >= 500]
    alerts = [json.loads(record.value or b"{}")["seq"] for record in consume(servers, "page-alerts")]
    return [
        check.same_numbers("views stored", (view["seq"] for view in sent), _stored()),
        check.same_counts("counts by page and window", check.windows(sent), check.last_counts(counted)),
        check.same_numbers("alerts raised", failed, alerts),
    ]


def _stored() -> list[int]:
    """The numbers of the views in the Parquet files, read by a second app, as a batch."""
    reader = hr.App("page-views-check")
    numbers = hr.memory("numbers")
    reader.read(hr.files(DEMO / "views", "parquet", schema="seq long")).write(numbers)
    reader.run(mode="batch", view=Silent())
    return [row["seq"] for row in numbers.rows]


def _summary(findings: list[check.Finding], refused: bool, seconds: float) -> int:
    """Say how it went; gives the exit code."""
    print(f"\n{'':27}{'expected':>9}{'found':>9}")
    for finding in findings:
        verdict = "WRONG" if finding.differences else "all the same"
        print(f"{finding.what:<27}{finding.expected:>9,}{finding.found:>9,}   {verdict}")
        for difference in finding.differences[:5]:
            print(f"    {difference}")
        if len(finding.differences) > 5:
            print(f"    and {len(finding.differences) - 5:,} more")
    if refused:
        print("the generator could not send all of its views")
    wrong = refused or any(finding.differences for finding in findings)
    print(f"\n{'The numbers differ' if wrong else 'Every number checked'}, {seconds:.0f} s. The views are in")
    print(f"  {DEMO / 'views'}")
    return 1 if wrong else 0


def _terminated(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
