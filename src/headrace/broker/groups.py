"""Consumer groups: listed, described with their lag, moved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from headrace.broker.admin import offsets
from headrace.broker.client import PATIENCE, Options, admin_client, kafka_admin, our_errors
from headrace.broker.records import Start, begin_of
from headrace.errors import SetupError, did_you_mean
from headrace.time import epoch_micros

if TYPE_CHECKING:
    from confluent_kafka import TopicPartition
    from confluent_kafka.admin import AdminClient


@dataclass(frozen=True, slots=True)
class Group:
    """A group: its state and how many members it has."""

    name: str
    state: str
    members: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a group stands in a partition; `lag` is how many records it has yet to read."""

    topic: str
    partition: int
    offset: int | None
    end: int
    lag: int
    member: str | None


@dataclass(frozen=True, slots=True)
class GroupDescription:
    """A group, and where it stands."""

    name: str
    state: str
    members: int
    standings: tuple[Standing, ...]

    @property
    def lag(self) -> int:
        return sum(standing.lag for standing in self.standings)

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "lag": self.lag}


def list_groups(servers: str, *, client: Options = None) -> list[Group]:
    """All groups, sorted by name."""
    admin = admin_client(servers, client)
    names = _names(admin, servers)
    if not names:
        return []
    with our_errors(servers, "asking for the groups"):
        asked = admin.describe_consumer_groups(names, request_timeout=PATIENCE)
        told = [asked[name].result() for name in names]
    return [Group(found.group_id, _state(found), len(found.members)) for found in told]


def describe_group(servers: str, name: str, *, client: Options = None) -> GroupDescription:
    """Where the group stands in each partition that it has read or is reading."""
    admin = admin_client(servers, client)
    found = _describe(admin, servers, name)
    owners = {
        (place.topic, place.partition): member.client_id
        for member in found.members
        for place in member.assignment.topic_partitions
    }
    committed = {(place.topic, place.partition): place.offset for place in _committed(admin, servers, name)}
    places = sorted({*owners, *committed})
    topics: dict[str, list[int]] = {}
    for topic, number in places:
        topics.setdefault(topic, []).append(number)
    ends = offsets(admin, servers, topics)
    standings = []
    for topic, number in places:
        first, end = ends[topic][number]
        at = committed.get((topic, number), -1)
        lag = end - (at if at >= 0 else first)
        owner = owners.get((topic, number))
        standings.append(Standing(topic, number, at if at >= 0 else None, end, max(0, lag), owner))
    return GroupDescription(name, _state(found), len(found.members), tuple(standings))


def reset_group(
    servers: str, name: str, to: Start, *, topics: Iterable[str] | None = None, client: Options = None
) -> list[Standing]:
    """Move the group, in all its topics or the given ones; refused while it has members."""
    from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition

    admin = admin_client(servers, client)
    found = _describe(admin, servers, name)
    if found.members:
        raise SetupError(
            f"the group '{name}' has {len(found.members)} active members and cannot be moved",
            hint="stop its consumers (a killed one is let go after its session ends, 10 s), then try again",
        )
    wanted = set(topics) if topics is not None else None
    read = _committed(admin, servers, name)
    places = [place for place in read if wanted is None or place.topic in wanted]
    if not places:
        raise SetupError(
            f"the group '{name}' stands nowhere in {', '.join(sorted(wanted or [])) or 'any topic'}",
            hint=did_you_mean("", sorted({place.topic for place in read}), "topics that it has read"),
        )
    targets = _targets(admin, servers, places, to)
    moved = [TopicPartition(topic, number, offset) for (topic, number), offset in sorted(targets.items())]
    with our_errors(servers, f"moving the group '{name}'"):
        request = [ConsumerGroupTopicPartitions(name, moved)]
        admin.alter_consumer_group_offsets(request, request_timeout=PATIENCE)[name].result()
    return [
        standing
        for standing in describe_group(servers, name, client=client).standings
        if _moved(standing, targets)
    ]


def _moved(standing: Standing, targets: dict[tuple[str, int], int]) -> bool:
    return (standing.topic, standing.partition) in targets


def _targets(
    admin: AdminClient, servers: str, places: list[TopicPartition], to: Start
) -> dict[tuple[str, int], int]:
    """The new offset of each partition, inside what the topic holds."""
    topics: dict[str, list[int]] = {}
    for place in places:
        topics.setdefault(place.topic, []).append(place.partition)
    ends = offsets(admin, servers, topics)
    if isinstance(to, datetime):
        at = _offsets_at(admin, servers, places, to)
        return {key: offset if offset >= 0 else ends[key[0]][key[1]][1] for key, offset in at.items()}
    chosen: dict[tuple[str, int], int] = {}
    for place in places:
        first, end = ends[place.topic][place.partition]
        chosen[place.topic, place.partition] = begin_of(to, first, end)
    return chosen


def _offsets_at(
    admin: AdminClient, servers: str, places: list[TopicPartition], moment: datetime
) -> dict[tuple[str, int], int]:
    spec = kafka_admin().OffsetSpec.for_timestamp(-(-epoch_micros(moment) // 1000))
    with our_errors(servers, "asking for the offsets at a time"):
        asked = admin.list_offsets({_bare(place): spec for place in places}, request_timeout=PATIENCE)
        return {(place.topic, place.partition): told.result().offset for place, told in asked.items()}


def _bare(place: TopicPartition) -> TopicPartition:
    from confluent_kafka import TopicPartition

    return TopicPartition(place.topic, place.partition)


def _names(admin: AdminClient, servers: str) -> list[str]:
    with our_errors(servers, "asking for the groups"):
        listed = admin.list_consumer_groups(request_timeout=PATIENCE).result()
    return sorted(group.group_id for group in listed.valid)


def _describe(admin: AdminClient, servers: str, name: str) -> Any:
    names = _names(admin, servers)
    if name not in names:
        raise SetupError(f"no group '{name}'", hint=did_you_mean(name, names, "groups"))
    with our_errors(servers, f"describing the group '{name}'"):
        return admin.describe_consumer_groups([name], request_timeout=PATIENCE)[name].result()


def _committed(admin: AdminClient, servers: str, name: str) -> list[TopicPartition]:
    from confluent_kafka import ConsumerGroupTopicPartitions

    with our_errors(servers, f"asking where the group '{name}' stands"):
        request = [ConsumerGroupTopicPartitions(name)]
        told = admin.list_consumer_group_offsets(request, request_timeout=PATIENCE)[name].result()
    return sorted(told.topic_partitions or [], key=lambda place: (place.topic, place.partition))


def _state(found: Any) -> str:
    return str(found.state.name).lower().replace("_", "-")
