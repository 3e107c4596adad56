"""Jobs on a real broker: from topic to topic, stopped and resumed, in every mode, through an outage."""

from __future__ import annotations

import os
import signal
import socket
import uuid
from pathlib import Path

import pytest
from shop import Shop, eventually

from headrace.broker.server import Broker
from headrace.settings import Project

JOB = """
    import headrace as hr

    app = hr.App("orders")
    orders = app.read(hr.kafka("{topic}-in", value=hr.json("id long, amount double"){options}))
    big = orders.where("amount > 10").with_column("tax", "amount * 0.2")
    big.write(hr.kafka("{topic}-out", key="id"{options}))

    if __name__ == "__main__":
        app.run()
"""


def topics(shop: Shop, options: str = "") -> str:
    """A job file, and the two topics that it goes by."""
    topic = f"t{uuid.uuid4().hex[:8]}"
    shop.write("job.py", JOB.format(topic=topic, options=options))
    for end in ("in", "out"):
        assert shop.command("topic", "create", f"{topic}-{end}").returncode == 0
    return topic


def order(number: int) -> dict[str, object]:
    return {"id": number, "amount": 20.0}


def test_a_missing_topic_is_told_at_the_line_that_reads_it(shop: Shop) -> None:
    shop.write("job.py", JOB.format(topic="nowhere", options=""))
    done = shop.command("run", "job.py")
    assert done.returncode == 4
    assert "error: no topic 'nowhere-in'\n  at job.py:4: orders = app.read(" in done.stderr
    assert "headrace topic create nowhere-in" in done.stderr


def test_a_broker_that_is_down_is_told_with_what_to_do(bare_shop: Shop) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    bare_shop.write("headrace.toml", f'[kafka]\nservers = "127.0.0.1:{port}"\n')
    bare_shop.write("job.py", JOB.format(topic="any", options=""))
    done = bare_shop.command("run", "job.py")
    assert done.returncode == 4
    assert f"127.0.0.1:{port}" in done.stderr
    assert "at job.py:4" in done.stderr
    assert "headrace up" in done.stderr


def test_no_broker_at_all_is_told_with_what_to_do(bare_shop: Shop) -> None:
    bare_shop.write("job.py", JOB.format(topic="any", options=""))
    done = bare_shop.command("run", "job.py")
    assert done.returncode == 4
    assert "headrace up" in done.stderr


def test_a_second_start_goes_on_where_the_first_stopped(shop: Shop) -> None:
    topic = topics(shop)
    shop.produce(f"{topic}-in", [order(1), {"id": 2, "amount": 3.0}, "not json", order(3)])
    first = shop.command("run", "job.py", "--mode", "available-now")
    assert first.returncode == 0, first.stderr
    assert "1 rejected" in first.stdout
    assert [row["id"] for row in shop.consume(f"{topic}-out")] == [1, 3]

    shop.produce(f"{topic}-in", [order(4)])
    assert shop.command("run", "job.py", "--mode", "available-now").returncode == 0
    assert [row["id"] for row in shop.consume(f"{topic}-out")] == [1, 3, 4]
    assert shop.consume(f"{topic}-out")[-1] == {"id": 4, "amount": 20.0, "tax": 4.0}


def test_sigterm_stops_between_two_batches_and_nothing_comes_twice(shop: Shop) -> None:
    topic = topics(shop)
    shop.produce(f"{topic}-in", [order(1)])
    running = shop.start("run", "job.py")
    eventually(lambda: len(shop.consume(f"{topic}-out")) == 1, "the first row")
    shop.produce(f"{topic}-in", [order(number) for number in range(2, 500)])
    eventually(lambda: len(shop.consume(f"{topic}-out")) > 1, "more rows")
    assert running.stop(signal.SIGTERM) == 0, running.said
    assert "stopping after the present batch" in running.said

    assert shop.command("run", "job.py", "--mode", "available-now").returncode == 0
    assert sorted(row["id"] for row in shop.consume(f"{topic}-out")) == list(range(1, 500))


def test_real_time_hands_rows_on_while_its_batch_lasts(shop: Shop) -> None:
    topic = topics(shop)
    running = shop.start("run", "job.py", "--mode", "real-time")
    try:
        eventually(lambda: "running" in running.said or running.process.poll() is not None, "the start", 90)
        shop.produce(f"{topic}-in", [order(1), order(2)])
        eventually(lambda: len(shop.consume(f"{topic}-out")) >= 2, "rows before the batch of 5 minutes ends")
    finally:
        assert running.stop(signal.SIGINT) == 0, running.said


@pytest.mark.parametrize("quick", [False, True], ids=["waiting", "restarted"])
def test_a_broker_that_goes_away_is_waited_for(bare_shop: Shop, quick: bool) -> None:
    """Its client either waits (Kafka's own patience is a minute), or gives up and the query is started again."""
    broker = Broker(Project(bare_shop.root))
    broker.up()
    impatient = (
        ', options={"kafka.default.api.timeout.ms": "4000", "kafka.request.timeout.ms": "3000",'
        ' "kafka.delivery.timeout.ms": "4000", "kafka.max.block.ms": "3000", "fetchOffset.numRetries": "1"}'
    )
    try:
        topic = topics(bare_shop, impatient if quick else "")
        bare_shop.produce(f"{topic}-in", [order(1)])
        running = bare_shop.start("run", "job.py")
        eventually(lambda: len(bare_shop.consume(f"{topic}-out")) == 1, "the first row")
        os.kill(int(broker.status().pid or 0), signal.SIGKILL)
        eventually(lambda: "does not answer; waiting for it" in running.said, "word that the broker is away")
        if quick:
            eventually(lambda: "waiting" in running.said and running.process.poll() is None, "patience", 5)
        broker.up()
        bare_shop.produce(f"{topic}-in", [order(2)])
        eventually(lambda: len(bare_shop.consume(f"{topic}-out")) >= 2, "the row after the outage", 90)
        assert "the broker is back; going on" in running.said
        assert running.stop() == 0, running.said
        assert {row["id"] for row in bare_shop.consume(f"{topic}-out")} == {1, 2}
    finally:
        broker.down()


def test_a_java_process_that_is_ended_from_outside_is_told_in_a_sentence(bare_shop: Shop) -> None:
    bare_shop.write(
        "job.py",
        """
        import headrace as hr

        app = hr.App("ticks")
        app.read(hr.rate(5)).write(hr.memory("seen"))

        if __name__ == "__main__":
            app.run()
        """,
    )
    running = bare_shop.start("run", "job.py")
    eventually(lambda: "batch 0" in running.said or running.process.poll() is not None, "the start", 90)
    [java] = children(running.process.pid)
    os.kill(java, signal.SIGKILL)
    assert running.process.wait(60) == 1, running.said
    assert "error: Spark's Java process is gone" in running.said
    assert "Traceback" not in running.said


def children(pid: int) -> list[int]:
    """The processes that a process has started and that are Java, by way of scripts that became it."""
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(one) for one in found if "java" in Path(f"/proc/{one}/cmdline").read_text().split("\0")[0]]
