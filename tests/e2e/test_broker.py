"""The embedded Kafka, and what one does with a Kafka, on the real one."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from headrace.broker import health, process
from headrace.broker.address import bootstrap_servers
from headrace.broker.admin import (
    create_topic,
    delete_topic,
    describe_topic,
    list_topics,
    require_topics,
    topic_names,
)
from headrace.broker.client import admin_client
from headrace.broker.groups import describe_group, list_groups, reset_group
from headrace.broker.record import Places, read
from headrace.broker.records import Incoming, Outgoing, consume, produce
from headrace.broker.server import Broker
from headrace.errors import BrokerDown, InvalidOption, MissingTopic, PortTaken, SetupError
from headrace.settings import Project

Topic = Callable[..., str]


@pytest.fixture
def topic(broker: str, request: pytest.FixtureRequest) -> Topic:
    """Make a topic that has the test's name."""

    def make(partitions: int = 1, suffix: str = "", **config: str) -> str:
        name = f"{request.node.name.removeprefix('test_')}{suffix}"
        settings = {key.replace("_", "."): value for key, value in config.items()}
        create_topic(broker, name, partitions=partitions, config=settings)
        return name

    return make


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Broker]:
    """A broker of the test's own, not started."""
    embedded = Broker(Project(tmp_path))
    yield embedded
    embedded.down()


def numbered(count: int, *, start: int = 0) -> list[Outgoing]:
    return [
        Outgoing(str(number).encode(), key=str(number).encode()) for number in range(start, start + count)
    ]


def values(records: Iterator[Incoming]) -> list[int]:
    return [int(record.value or b"-1") for record in records]


def test_records_come_back_as_they_went(broker: str, topic: Topic) -> None:
    name = topic()
    stamp = datetime(2026, 1, 1, 12, tzinfo=UTC)
    sent = [Outgoing(b"a", b"k", 0, stamp, {"h": b"1"}), Outgoing(None, b"k"), Outgoing(b"\xff", None)]
    told = produce(broker, name, sent)
    assert (told.delivered, told.failed, told.errors) == (3, 0, {})
    first, second, third = consume(broker, name)
    assert (first.key, first.value, first.headers, first.timestamp) == (b"k", b"a", (("h", b"1"),), stamp)
    assert [(record.partition, record.offset, record.value) for record in (second, third)] == [
        (0, 1, None),
        (0, 2, b"\xff"),
    ]


def test_order_is_kept(broker: str, topic: Topic) -> None:
    name = topic()
    produce(broker, name, numbered(5000))
    assert values(consume(broker, name)) == list(range(5000))


def test_a_record_that_is_too_large_is_reported(broker: str, topic: Topic) -> None:
    name = topic(max_message_bytes="1000")
    told = produce(broker, name, [Outgoing(b"x" * 5_000_000), Outgoing(b"y")])
    assert (told.delivered, told.failed) == (1, 1)
    told = produce(broker, name, [Outgoing(b"x" * 5000)])
    assert (told.delivered, list(told.errors.values())) == (0, [1])


def test_two_consumers_in_a_group_share_the_partitions(broker: str, topic: Topic) -> None:
    name = topic(partitions=4)
    produce(broker, name, [Outgoing(b"early", partition=number) for number in range(4)])
    seen: list[set[int]] = [set(), set()]
    enough = threading.Event()

    def member(at: int) -> None:
        for record in consume(broker, name, group="sharing", follow=True, timeout=5.0):
            if record.value == b"late":
                seen[at].add(record.partition)
            if len(seen[0] | seen[1]) == 4 and seen[0] and seen[1]:
                enough.set()
            if enough.is_set():
                return

    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(member, at) for at in range(2)]
        deadline = time.monotonic() + 20
        while not enough.is_set() and time.monotonic() < deadline:
            produce(broker, name, [Outgoing(b"late", partition=number) for number in range(4)])
            time.sleep(0.3)
        for ended in running:
            ended.result()
    assert seen[0] | seen[1] == {0, 1, 2, 3}
    assert all(seen)


def test_two_groups_each_get_everything(broker: str, topic: Topic) -> None:
    name = topic(partitions=3)
    produce(broker, name, numbered(50))
    for group in ("first", "second"):
        assert sorted(values(consume(broker, name, group=group))) == list(range(50))
    produce(broker, name, numbered(5, start=50))
    assert sorted(values(consume(broker, name, group="first"))) == list(range(50, 55))


def test_a_group_goes_on_after_its_last_record(broker: str, topic: Topic) -> None:
    name = topic()
    produce(broker, name, numbered(10))
    assert values(consume(broker, name, group="going-on", maximum=4)) == [0, 1, 2, 3]
    assert values(consume(broker, name, group="going-on")) == [4, 5, 6, 7, 8, 9]


def test_replay_from_an_offset(broker: str, topic: Topic) -> None:
    name = topic()
    produce(broker, name, numbered(10))
    assert values(consume(broker, name, start=7)) == [7, 8, 9]
    assert values(consume(broker, name, start=3, maximum=2)) == [3, 4]
    assert values(consume(broker, name, start=99)) == []
    assert values(consume(broker, name, start="end")) == []


def test_replay_from_a_time(broker: str, topic: Topic) -> None:
    name = topic(partitions=2)
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    hours = [
        Outgoing(str(h).encode(), partition=h % 2, timestamp=noon + timedelta(hours=h)) for h in range(6)
    ]
    produce(broker, name, hours)
    assert sorted(values(consume(broker, name, start=noon + timedelta(hours=3)))) == [3, 4, 5]
    assert sorted(values(consume(broker, name, start=noon + timedelta(hours=2, minutes=1)))) == [
        3,
        4,
        5,
    ]
    assert values(consume(broker, name, start=noon + timedelta(days=1))) == []


def test_one_partition_alone(broker: str, topic: Topic) -> None:
    name = topic(partitions=2)
    produce(broker, name, [Outgoing(str(n).encode(), partition=n % 2) for n in range(6)])
    assert values(consume(broker, name, partition=1)) == [1, 3, 5]
    with pytest.raises(InvalidOption, match=rf"^topic '{name}' has no partition 2"):
        list(consume(broker, name, partition=2))


def test_following_sees_what_comes_later(broker: str, topic: Topic) -> None:
    name = topic()
    produce(broker, name, numbered(1))
    reader = consume(broker, name, follow=True, timeout=10.0)
    assert next(reader).value == b"0"
    produce(broker, name, numbered(1, start=1))
    assert next(reader).value == b"1"
    reader.close()  # type: ignore[attr-defined]


def test_a_reader_stops_when_nothing_comes(broker: str, topic: Topic) -> None:
    begun = time.monotonic()
    assert values(consume(broker, topic(), follow=True, timeout=0.3)) == []
    assert 0.3 <= time.monotonic() - begun < 3


def test_a_group_takes_no_offset(broker: str, topic: Topic) -> None:
    with pytest.raises(InvalidOption) as error:
        list(consume(broker, topic(), start=3, group="g"))
    assert error.value.message == (
        "a group goes on where it stood: an offset, a time or a partition cannot be given with it"
    )


def test_retention_by_time(broker: str, topic: Topic) -> None:
    name = topic(retention_ms="200", segment_ms="100")
    produce(broker, name, numbered(10))
    deadline = time.monotonic() + 20
    while describe_topic(broker, name).records and time.monotonic() < deadline:
        time.sleep(0.2)
    (partition,) = describe_topic(broker, name).partitions
    assert (partition.earliest, partition.latest) == (10, 10)
    produce(broker, name, numbered(1, start=10))
    assert values(consume(broker, name, start=0)) in ([10], [])


def test_deleted_records_are_not_read_again(broker: str, topic: Topic) -> None:
    from confluent_kafka import TopicPartition

    name = topic()
    produce(broker, name, numbered(10))
    admin = admin_client(broker)
    for ended in admin.delete_records([TopicPartition(name, 0, 6)]).values():
        ended.result(timeout=10)
    assert values(consume(broker, name)) == [6, 7, 8, 9]
    assert values(consume(broker, name, start=2)) == [6, 7, 8, 9]


def test_topics_are_made_described_and_deleted(broker: str, broker_project: Project) -> None:
    assert create_topic(broker, "made", partitions=3, retention="2 days")
    assert not create_topic(broker, "made", if_missing=True)
    produce(broker, "made", numbered(12))
    (listed,) = (found for found in list_topics(broker) if found.name == "made")
    assert (listed.partitions, listed.replicas, listed.records) == (3, 1, 12)
    found = describe_topic(broker, "made", data=Places.of(broker_project).data)
    assert found.config == {"retention.ms": str(2 * 24 * 3600 * 1000)}
    assert found.records == 12
    assert found.size is not None
    assert found.size > 100
    assert describe_topic(broker, "made").size is None
    delete_topic(broker, "made")
    assert "made" not in topic_names(broker)


def test_kept_for_ever(broker: str) -> None:
    create_topic(broker, "kept", retention="forever")
    assert describe_topic(broker, "kept").config == {"retention.ms": "-1"}


def test_a_topic_that_is_there(broker: str, topic: Topic) -> None:
    name = topic()
    with pytest.raises(SetupError) as error:
        create_topic(broker, name)
    assert str(error.value) == (
        f"the topic '{name}' is there already\n  hint: leave it as it is (--if-missing), "
        f"or look at it: `headrace topic describe {name}`"
    )


@pytest.mark.parametrize(("name", "config"), [("a b", {}), ("odd", {"no.such": "1"})])
def test_a_topic_that_kafka_refuses(broker: str, name: str, config: dict[str, str]) -> None:
    with pytest.raises(InvalidOption, match=rf"^Kafka refuses the topic '{name}': "):
        create_topic(broker, name, config=config)
    with pytest.raises(InvalidOption, match=r"^a topic cannot have 0 partitions"):
        create_topic(broker, "none", partitions=0)


def test_more_replicas_than_brokers(broker: str) -> None:
    with pytest.raises(SetupError, match=r"^making the topic 'wide' failed: .*INVALID_REPLICATION_FACTOR"):
        create_topic(broker, "wide", replicas=3)


def test_a_missing_topic(broker: str) -> None:
    create_topic(broker, "alarms", if_missing=True)
    require_topics(broker, ["alarms"])
    doings: list[Callable[[], object]] = [
        lambda: require_topics(broker, ["alarms", "alarm"]),
        lambda: describe_topic(broker, "alarm"),
        lambda: delete_topic(broker, "alarm"),
        lambda: list(consume(broker, "alarm")),
        lambda: produce(broker, "alarm", []),
    ]
    for doing in doings:
        with pytest.raises(MissingTopic, match=r"^no topic 'alarm'\n  hint: did you mean 'alarms'\?"):
            doing()


def test_groups_are_described_with_their_lag(broker: str, topic: Topic) -> None:
    name = topic(partitions=2)
    produce(broker, name, [Outgoing(b"1", partition=n % 2) for n in range(10)])
    list(consume(broker, name, group="lagging"))
    produce(broker, name, [Outgoing(b"1", partition=0) for _ in range(3)])
    found = describe_group(broker, "lagging")
    assert (found.state, found.members, found.lag) == ("empty", 0, 3)
    assert [(at.topic, at.partition, at.offset, at.end, at.lag) for at in found.standings] == [
        (name, 0, 5, 8, 3),
        (name, 1, 5, 5, 0),
    ]
    assert "lagging" in [group.name for group in list_groups(broker)]


def test_a_group_is_moved(broker: str, topic: Topic) -> None:
    name = topic()
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    produce(
        broker,
        name,
        [Outgoing(str(n).encode(), timestamp=noon + timedelta(hours=n)) for n in range(6)],
    )
    list(consume(broker, name, group="moved"))
    for to, left in (
        ("beginning", [0, 1, 2, 3, 4, 5]),
        (4, [4, 5]),
        (noon + timedelta(hours=5), [5]),
        ("end", []),
    ):
        (standing,) = reset_group(broker, "moved", to)  # type: ignore[arg-type]
        assert standing.lag == len(left)
        assert values(consume(broker, name, group="moved")) == left
    with pytest.raises(SetupError, match=r"^the group 'moved' stands nowhere in other"):
        reset_group(broker, "moved", "end", topics=["other"])


def test_an_active_group_is_not_moved(broker: str, topic: Topic) -> None:
    name = topic()
    produce(broker, name, numbered(2))
    reader = consume(broker, name, group="active", follow=True, timeout=10.0)
    next(reader)
    assert describe_group(broker, "active").standings[0].member == "headrace"
    with pytest.raises(SetupError) as error:
        reset_group(broker, "active", "beginning")
    reader.close()  # type: ignore[attr-defined]
    assert str(error.value) == (
        "the group 'active' has 1 active members and cannot be moved\n  hint: stop its consumers "
        "(a killed one is let go after its session ends, 10 s), then try again"
    )


def test_a_missing_group(broker: str) -> None:
    with pytest.raises(SetupError, match=r"^no group 'nobody'"):
        describe_group(broker, "nobody")


def test_nothing_answers_within_five_seconds(capfd: pytest.CaptureFixture[str]) -> None:
    begun = time.monotonic()
    with socket.create_server(("127.0.0.1", 0)) as mute:
        for servers in ("127.0.0.1:1", f"127.0.0.1:{mute.getsockname()[1]}"):
            with pytest.raises(BrokerDown, match=rf"^no Kafka answers at {servers}"):
                list_topics(servers)
    assert time.monotonic() - begun < 6
    assert capfd.readouterr().err == ""


def test_up_is_idempotent_and_refuses_another_port(broker: str, broker_project: Project) -> None:
    embedded = Broker(broker_project)
    before = embedded.status()
    assert embedded.up() == before
    assert embedded.up(port=before.port) == before
    assert bootstrap_servers(broker_project) == broker
    with pytest.raises(SetupError, match=rf"^the broker is up on port {before.port}, not on 1\n"):
        embedded.up(port=1)
    with pytest.raises(SetupError, match=r"^the broker is up with its data in "):
        embedded.up(data=broker_project.root / "other")


def test_a_killed_broker_starts_again_with_its_data(own: Broker, tmp_path: Path) -> None:
    status = own.up()
    assert status.servers is not None
    assert status.pid is not None
    create_topic(status.servers, "kept")
    produce(status.servers, "kept", numbered(100))
    os.kill(status.pid, signal.SIGKILL)
    again = own.up()
    assert (again.port, again.cluster_id, again.pid != status.pid) == (status.port, status.cluster_id, True)
    assert values(consume(status.servers, "kept")) == list(range(100))
    assert own.down()
    assert not own.down()
    after = own.status()
    assert (after.up, after.answers, after.pid, after.port) == (False, False, None, status.port)
    assert not health.answers(status.servers)


def test_two_projects_do_not_collide(broker: str, own: Broker, tmp_path: Path) -> None:
    create_topic(broker, "mine-alone")
    other = own.up(data=tmp_path / "größe und weite")
    assert other.servers is not None
    assert other.servers != broker
    assert topic_names(other.servers) == []
    assert health.answers(broker)
    own.down()
    record = read(Places.of(Project(tmp_path)))
    assert record is not None
    assert record.data == str(tmp_path / "größe und weite")


def test_an_asked_port_that_is_taken(broker: str, own: Broker) -> None:
    taken = int(broker.rpartition(":")[2])
    with pytest.raises(
        PortTaken, match=rf"^port {taken} is taken by another program\n  hint: leave --port away"
    ):
        own.up(port=taken)
    assert own.status().up is False


def test_a_data_folder_that_is_in_use(broker: str, broker_project: Project, own: Broker) -> None:
    with pytest.raises(SetupError) as error:
        own.up(data=Places.of(broker_project).data)
    assert str(error.value) == (
        "another broker uses the same data folder\n"
        "  hint: `headrace down` in its project, or give another folder: headrace up --data FOLDER"
    )


def test_the_broker_outlives_who_started_it(broker: str, broker_project: Project) -> None:
    record = read(Places.of(broker_project))
    assert record is not None
    assert record.pid is not None
    assert os.getsid(record.pid) == record.pid
    assert process.is_ours(record.pid, Places.of(broker_project).properties)


def test_old_events_are_kept(broker: str, topic: Topic) -> None:
    name = topic()
    produce(broker, name, [Outgoing(b"1", timestamp=datetime(2001, 1, 1, tzinfo=UTC))])
    time.sleep(3.5)  # the broker looks for what is too old every 2 s
    assert values(consume(broker, name)) == [1]
