"""Topics: made, listed, described, deleted, required."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headrace.broker.client import PATIENCE, Options, admin_client, kafka_admin, our_errors
from headrace.errors import BrokerDown, InvalidOption, MissingTopic, SetupError, did_you_mean
from headrace.time import SYSTEM_CLOCK, Clock, Duration, micros

if TYPE_CHECKING:
    from confluent_kafka import KafkaError, TopicPartition
    from confluent_kafka.admin import AdminClient

FOREVER = "forever"


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition: its leader, its first offset and the one that the next record gets."""

    partition: int
    leader: int
    earliest: int
    latest: int

    @property
    def records(self) -> int:
        return self.latest - self.earliest


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic: how many partitions and replicas it has, and how many records it holds."""

    name: str
    partitions: int
    replicas: int
    records: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Description:
    """All about a topic; `size` in bytes is known for the embedded broker alone."""

    name: str
    partitions: tuple[Partition, ...]
    replicas: int
    size: int | None
    config: Mapping[str, str] = field(default_factory=dict)

    @property
    def records(self) -> int:
        return sum(partition.records for partition in self.partitions)

    def as_dict(self) -> dict[str, Any]:
        of_each = [{**asdict(partition), "records": partition.records} for partition in self.partitions]
        return {**asdict(self), "records": self.records, "partitions": of_each}


def topic_names(servers: str, *, internal: bool = False, client: Options = None) -> list[str]:
    """The names of all topics, sorted."""
    names = _metadata(admin_client(servers, client), servers)
    return sorted(name for name in names if internal or not name.startswith("__"))


def list_topics(servers: str, *, internal: bool = False, client: Options = None) -> list[Topic]:
    """All topics with their counts, sorted by name."""
    admin = admin_client(servers, client)
    metadata = _metadata(admin, servers)
    names = sorted(name for name in metadata if internal or not name.startswith("__"))
    counts = offsets(admin, servers, {name: sorted(metadata[name].partitions) for name in names})
    return [
        Topic(
            name,
            partitions=len(counts[name]),
            replicas=_replicas(metadata[name]),
            records=sum(latest - earliest for earliest, latest in counts[name].values()),
        )
        for name in names
    ]


def describe_topic(
    servers: str, name: str, *, data: Path | None = None, client: Options = None
) -> Description:
    """A topic's partitions, offsets and own settings, and its size if `data` is the broker's folder."""
    admin = admin_client(servers, client)
    metadata = _metadata(admin, servers)
    if name not in metadata:
        raise missing(name, metadata)
    found = metadata[name]
    ends = offsets(admin, servers, {name: sorted(found.partitions)})[name]
    kafka = kafka_admin()
    resource = kafka.ConfigResource(kafka.ConfigResource.Type.TOPIC, name)
    with our_errors(servers, f"describing the topic '{name}'"):
        config = admin.describe_configs([resource], request_timeout=PATIENCE)[resource].result()
    return Description(
        name,
        tuple(Partition(number, found.partitions[number].leader, *ends[number]) for number in sorted(ends)),
        replicas=_replicas(found),
        size=_size(data, name),
        config={key: str(entry.value) for key, entry in sorted(config.items()) if _was_set(entry)},
    )


def create_topic(
    servers: str,
    name: str,
    *,
    partitions: int = 1,
    replicas: int | None = None,
    retention: Duration | None = None,
    config: Mapping[str, str] | None = None,
    if_missing: bool = False,
    client: Options = None,
    clock: Clock = SYSTEM_CLOCK,
) -> bool:
    """Make a topic and come back when it is there; false when it was, and `if_missing` was said."""
    from confluent_kafka import KafkaError, KafkaException

    if partitions < 1:
        raise InvalidOption(f"a topic cannot have {partitions} partitions", hint="give one or more")
    admin = admin_client(servers, client)
    settings = {**_retention(retention), **(config or {})}
    wanted = kafka_admin().NewTopic(name, partitions, replicas or -1, config=settings)
    with our_errors(servers, f"making the topic '{name}'"):
        try:
            admin.create_topics([wanted], request_timeout=PATIENCE)[name].result()
        except KafkaException as failure:
            error = failure.args[0]
            if error.code() == KafkaError.TOPIC_ALREADY_EXISTS:
                return _exists(name, if_missing)
            if error.code() in (KafkaError.TOPIC_EXCEPTION, KafkaError.INVALID_CONFIG):
                raise InvalidOption(
                    f"Kafka refuses the topic '{name}': {error.str()}",
                    hint="a name has letters, digits, '.', '_' and '-'; settings are those of Kafka's topics",
                ) from None
            raise
    _await(admin, servers, name, clock)
    offsets(admin, servers, {name: range(partitions)}, clock=clock)
    return True


def delete_topic(servers: str, name: str, *, client: Options = None, clock: Clock = SYSTEM_CLOCK) -> None:
    """Delete a topic with all its records, and come back when it is gone."""
    admin = admin_client(servers, client)
    metadata = _metadata(admin, servers)
    if name not in metadata:
        raise missing(name, metadata)
    with our_errors(servers, f"deleting the topic '{name}'"):
        admin.delete_topics([name], request_timeout=PATIENCE)[name].result()
    _await(admin, servers, name, clock, there=False)


def require_topics(servers: str, names: Iterable[str], *, client: Options = None) -> None:
    """Raise for the first topic that is not there."""
    known = _metadata(admin_client(servers, client), servers)
    for name in names:
        if name not in known:
            raise missing(name, known)


def missing(name: str, known: Iterable[str]) -> MissingTopic:
    """The error for a topic that is not there, with the nearest that is."""
    shown = sorted(topic for topic in known if not topic.startswith("__"))
    return MissingTopic(
        f"no topic '{name}'",
        hint=f"{did_you_mean(name, shown, 'topics')}; make it with `headrace topic create {name}`",
    )


def offsets(
    admin: AdminClient,
    servers: str,
    partitions: Mapping[str, Iterable[int]],
    *,
    clock: Clock = SYSTEM_CLOCK,
) -> dict[str, dict[int, tuple[int, int]]]:
    """First and next offset of each partition of each topic."""
    from confluent_kafka import KafkaException, TopicPartition

    places = [TopicPartition(name, number) for name, numbers in partitions.items() for number in numbers]
    found: dict[str, dict[int, tuple[int, int]]] = {name: {} for name in partitions}
    deadline = clock.monotonic() + PATIENCE
    with our_errors(servers, "asking for offsets"):
        while places:
            try:
                for place, ends in _ends(admin, places):
                    found[place.topic][place.partition] = ends
                break
            except KafkaException as failure:
                # A new topic, or one whose broker has just come back, has no leader for a moment.
                if not _is_passing(failure.args[0]) or clock.monotonic() > deadline:
                    raise
                clock.sleep(0.05)
    return found


def _ends(admin: AdminClient, places: list[TopicPartition]) -> list[tuple[TopicPartition, tuple[int, int]]]:
    spec = kafka_admin().OffsetSpec
    first = admin.list_offsets({place: spec.earliest() for place in places}, request_timeout=PATIENCE)
    last = admin.list_offsets({place: spec.latest() for place in places}, request_timeout=PATIENCE)
    return [(place, (first[place].result().offset, last[place].result().offset)) for place in places]


def _is_passing(error: KafkaError) -> bool:
    from confluent_kafka import KafkaError

    return error.code() in (
        KafkaError.NOT_LEADER_FOR_PARTITION,
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.UNKNOWN_LEADER_EPOCH,
        KafkaError.FENCED_LEADER_EPOCH,
        KafkaError.UNKNOWN_TOPIC_OR_PART,
    )


def _metadata(admin: AdminClient, servers: str) -> dict[str, Any]:
    with our_errors(servers, "asking for the topics"):
        topics: dict[str, Any] = admin.list_topics(timeout=PATIENCE).topics
        return topics


def _exists(name: str, if_missing: bool) -> bool:
    if if_missing:
        return False
    raise SetupError(
        f"the topic '{name}' is there already",
        hint=f"leave it as it is (--if-missing), or look at it: `headrace topic describe {name}`",
    )


def _await(admin: AdminClient, servers: str, name: str, clock: Clock, *, there: bool = True) -> None:
    """Wait until the broker's own answers show it; it acknowledges a moment earlier."""
    deadline = clock.monotonic() + PATIENCE
    while (name in _metadata(admin, servers)) != there:
        if clock.monotonic() > deadline:
            raise BrokerDown(
                f"Kafka has taken the order for '{name}' and not carried it out within {PATIENCE:g} s",
                hint="look at the broker's log: `headrace status` says where it is",
            )
        clock.sleep(0.02)


def _retention(retention: Duration | None) -> dict[str, str]:
    if retention is None:
        return {}
    if retention == FOREVER:
        return {"retention.ms": "-1"}
    return {"retention.ms": str(max(1, micros(retention, "retention") // 1000))}


def _replicas(topic: Any) -> int:
    return max((len(partition.replicas) for partition in topic.partitions.values()), default=0)


def _was_set(entry: Any) -> bool:
    return bool(int(entry.source) == kafka_admin().ConfigSource.DYNAMIC_TOPIC_CONFIG.value)


def _size(data: Path | None, name: str) -> int | None:
    """The bytes of the topic's segments."""
    if data is None or not data.is_dir():
        return None
    folders = [folder for folder in data.glob(f"{name}-*") if folder.name.removeprefix(f"{name}-").isdigit()]
    return sum(file.stat().st_size for folder in folders for file in folder.glob("*.log"))
