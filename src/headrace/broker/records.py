"""Records: produced to a topic and consumed from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from headrace.broker.admin import missing
from headrace.broker.client import PATIENCE, Options, admin_client, configuration, our_errors
from headrace.broker.decoding import text_of, value_of
from headrace.broker.health import require_answer
from headrace.errors import InvalidOption
from headrace.time import SYSTEM_CLOCK, Clock, epoch_micros, from_epoch_micros, instant

if TYPE_CHECKING:
    from confluent_kafka import Consumer, Message, TopicPartition

Start = Literal["beginning", "end"] | int | datetime


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A record to be sent."""

    value: bytes | None
    key: bytes | None = None
    partition: int | None = None
    timestamp: datetime | None = None
    headers: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Incoming:
    """A record that was read; the timestamp is the broker's."""

    topic: str
    partition: int
    offset: int
    timestamp: datetime | None
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The record with its bytes decoded, as `--json` prints it."""
        return {
            "topic": self.topic,
            "partition": self.partition,
            "offset": self.offset,
            "timestamp": self.timestamp and self.timestamp.isoformat(timespec="milliseconds"),
            "key": text_of(self.key),
            "value": value_of(self.value),
            "headers": {name: text_of(content) for name, content in self.headers},
        }


@dataclass(slots=True)
class Delivery:
    """What became of the records that were sent."""

    delivered: int = 0
    failed: int = 0
    errors: dict[str, int] = field(default_factory=dict)

    def note(self, error: Any, _message: object) -> None:
        """Count one record, as the client's callback."""
        if error is None:
            self.delivered += 1
        else:
            self.failed += 1
            self.errors[error.str()] = self.errors.get(error.str(), 0) + 1


def produce(
    servers: str,
    topic: str,
    records: Iterable[Outgoing],
    *,
    timeout: float = 30.0,
    delivery: Delivery | None = None,
    client: Options = None,
) -> Delivery:
    """Send all records in order, and wait up to `timeout` seconds for the last ones.

    A record may stand there twice after a connection broke: asking for idempotence costs up to a second.
    """
    from confluent_kafka import Producer

    _partitions(servers, topic, client)
    told = delivery or Delivery()
    millis = int(timeout * 1000)
    settings = configuration(
        servers, client, acks="all", max_in_flight=1, linger_ms=5, message_timeout_ms=millis
    )
    producer = Producer(settings)
    try:
        for record in records:
            _send(producer, topic, record, told)
    finally:
        producer.flush(timeout + 1.0)
    return told


def _send(producer: Any, topic: str, record: Outgoing, told: Delivery) -> None:
    from confluent_kafka import KafkaException

    more: dict[str, Any] = {}
    if record.partition is not None:
        more["partition"] = record.partition
    if record.timestamp is not None:
        more["timestamp"] = epoch_micros(record.timestamp) // 1000
    if record.headers:
        more["headers"] = list(record.headers.items())
    while True:
        try:
            producer.produce(topic, value=record.value, key=record.key, on_delivery=told.note, **more)
        except BufferError:
            producer.poll(0.1)
        except KafkaException as failure:
            told.note(failure.args[0], None)
            return
        else:
            producer.poll(0)
            return


def consume(
    servers: str,
    topic: str,
    *,
    start: Start = "beginning",
    follow: bool = False,
    partition: int | None = None,
    group: str | None = None,
    maximum: int | None = None,
    timeout: float | None = None,
    client: Options = None,
    clock: Clock = SYSTEM_CLOCK,
) -> Iterator[Incoming]:
    """Records from `start` to the present end, or for ever with `follow`.

    It ends after `maximum` records, or after `timeout` seconds without one. In a `group` it shares the
    partitions with the other members and goes on where the group stood; `start` is for a new group.
    """
    from confluent_kafka import Consumer

    numbers = _partitions(servers, topic, client)
    if partition is not None and partition not in numbers:
        raise InvalidOption(
            f"topic '{topic}' has no partition {partition}", hint=f"its partitions are 0 to {max(numbers)}"
        )
    if group is not None and (isinstance(start, int | datetime) or partition is not None):
        raise InvalidOption(
            "a group goes on where it stood: an offset, a time or a partition cannot be given with it",
            hint=f"move the group: `headrace group reset {group} --to …`, or read without a group",
        )
    consumer = Consumer(_consumer_settings(servers, group, start, client))
    with closing(consumer), our_errors(servers, f"reading the topic '{topic}'"):
        open_ends = None
        if group is None:
            chosen = numbers if partition is None else [partition]
            ends = _assign(consumer, topic, chosen, start)
            open_ends = None if follow else {n: end for n, (first, end) in ends.items() if first < end}
        reading = _Reading(servers, consumer, open_ends, group, follow, maximum, timeout, clock)
        if group is not None:
            consumer.subscribe([topic], on_assign=reading.assigned)
        yield from reading.records()


@dataclass(slots=True)
class _Reading:
    """One pass over a topic."""

    servers: str
    consumer: Consumer
    open_ends: dict[int, int] | None
    group: str | None
    follow: bool
    maximum: int | None
    timeout: float | None
    clock: Clock
    at_end: set[int] = field(default_factory=set)
    mine: set[int] | None = None

    def assigned(self, _consumer: object, places: list[TopicPartition]) -> None:
        """Note the partitions that the group gave to this reader."""
        self.mine = {place.partition for place in places}
        self.at_end.clear()

    def records(self) -> Iterator[Incoming]:
        count, last = 0, self.clock.monotonic()
        while not self._done(count):
            message = self.consumer.poll(0.1)
            if message is None:
                quiet = self.clock.monotonic() - last
                if self.timeout is not None and quiet > self.timeout:
                    return
                if quiet > PATIENCE and not self.follow:
                    require_answer(self.servers)
                continue
            if self._is_news(message) or self._beyond(message):
                continue
            self.at_end.discard(_number(message.partition()))
            yield _incoming(message)
            if self.group is not None:
                self._store(message)
            count, last = count + 1, self.clock.monotonic()
            self._close_end(_number(message.partition()), _number(message.offset()) + 1)

    def _store(self, message: Message) -> None:
        """Count the record as read; if another member has its partition by now, that one reads it again."""
        from confluent_kafka import KafkaError, KafkaException

        try:
            self.consumer.store_offsets(message)
        except KafkaException as failure:
            if failure.args[0].code() != KafkaError._STATE:
                raise

    def _done(self, count: int) -> bool:
        if self.maximum is not None and count >= self.maximum:
            return True
        if self.follow:
            return False
        if self.open_ends is not None:
            return not self.open_ends
        return self.mine is not None and self.mine <= self.at_end

    def _is_news(self, message: Message) -> bool:
        """Whether the message tells of an end or an error, and not of a record."""
        from confluent_kafka import KafkaError, KafkaException

        error = message.error()
        if error is None:
            return False
        if error.code() == KafkaError._PARTITION_EOF:
            self.at_end.add(_number(message.partition()))
            self._close_end(_number(message.partition()), _number(message.offset()), at_end=True)
        elif not error.retriable() and error.code() not in (
            KafkaError._TRANSPORT,
            KafkaError._ALL_BROKERS_DOWN,
        ):
            raise KafkaException(error)
        return True

    def _beyond(self, message: Message) -> bool:
        """Whether the record came after the end as it stood when the reading began."""
        return self.open_ends is not None and _number(message.partition()) not in self.open_ends

    def _close_end(self, partition: int, position: int, *, at_end: bool = False) -> None:
        """Tick a partition off once its present end is reached."""
        end = (self.open_ends or {}).get(partition)
        if self.open_ends is not None and end is not None and (at_end or position >= end):
            del self.open_ends[partition]


def _consumer_settings(servers: str, group: str | None, start: Start, client: Options) -> dict[str, Any]:
    return configuration(
        servers,
        client,
        group_id=group or "headrace",
        enable_auto_commit=group is not None,
        enable_auto_offset_store=False,
        auto_offset_reset="latest" if start == "end" else "earliest",
        auto_commit_interval_ms=500,
        session_timeout_ms=10_000,
        enable_partition_eof=True,
        fetch_wait_max_ms=100,
    )


def _assign(
    consumer: Consumer, topic: str, numbers: Iterable[int], start: Start
) -> dict[int, tuple[int, int]]:
    """Put the reader at its start; gives where each partition starts and where it ends now."""
    from confluent_kafka import TopicPartition

    ends: dict[int, tuple[int, int]] = {}
    for number in numbers:
        first, end = consumer.get_watermark_offsets(TopicPartition(topic, number), timeout=PATIENCE)
        ends[number] = (begin_of(start, first, end), end)
    if isinstance(start, datetime):
        ends = {**ends, **_at_time(consumer, topic, start, ends)}
    consumer.assign([TopicPartition(topic, number, first) for number, (first, _) in ends.items()])
    return ends


def begin_of(start: Start, first: int, end: int) -> int:
    """The offset to begin at, inside what the partition holds; a time is looked up elsewhere."""
    if start == "end":
        return end
    return min(max(start, first), end) if isinstance(start, int) else first


def _at_time(
    consumer: Consumer, topic: str, start: datetime, ends: Mapping[int, tuple[int, int]]
) -> dict[int, tuple[int, int]]:
    """The first offset at or after the time; the end where no record is that young."""
    from confluent_kafka import TopicPartition

    millis = -(-epoch_micros(start) // 1000)
    asked = [TopicPartition(topic, number, millis) for number in ends]
    found: list[TopicPartition] = consumer.offsets_for_times(asked, timeout=PATIENCE)
    return {
        place.partition: (
            place.offset if place.offset >= 0 else ends[place.partition][1],
            ends[place.partition][1],
        )
        for place in found
    }


def _partitions(servers: str, topic: str, client: Options) -> list[int]:
    """The topic's partitions, or the error that it is missing."""
    require_answer(servers)
    with our_errors(servers, "asking for the topics"):
        topics = admin_client(servers, client).list_topics(timeout=PATIENCE).topics
    if topic not in topics:
        raise missing(topic, topics)
    return sorted(topics[topic].partitions)


def _incoming(message: Message) -> Incoming:
    kind, millis = message.timestamp()
    headers: Any = message.headers() or []
    return Incoming(
        str(message.topic()),
        _number(message.partition()),
        _number(message.offset()),
        from_epoch_micros(millis * 1000) if kind else None,
        message.key(),
        message.value(),
        tuple((str(name), content) for name, content in headers),
    )


def _number(value: int | None) -> int:
    assert value is not None
    return value


def start_of(text: str) -> Start:
    """What `--from` says: `beginning`, `end`, an offset, or a time in ISO 8601."""
    if text in ("beginning", "earliest"):
        return "beginning"
    if text in ("end", "latest"):
        return "end"
    if text.isdigit():
        return int(text)
    return instant(text, "start")
