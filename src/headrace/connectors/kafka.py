"""Kafka: a topic as a source or as a sink."""

from __future__ import annotations

import json as _json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from headrace.connect.sink import Batch, Sink, Writing
from headrace.connect.source import Reading, Source, Topics
from headrace.errors import BrokerDown, InvalidOption, did_you_mean
from headrace.model.delivery import Delivery, Guarantee
from headrace.model.modes import Mode, Output
from headrace.serde._serde import Serde, literal, quoted
from headrace.serde.json import Json
from headrace.serde.text import text
from headrace.settings import Project
from headrace.time import Instant, epoch_micros, instant

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

UNKNOWN = "localhost:9092"
"""Stands in a plan that is looked at and not run, while no broker is known."""
SUBSCRIPTIONS = ("subscribe", "subscribepattern", "assign")
STAMPS = ("topic", "partition", "offset", "timestamp")


@dataclass(frozen=True)
class Kafka(Source, Sink):
    """A topic; how its keys and values are written; where to begin."""

    topic: str
    value: Serde
    key: Serde | None
    key_column: str | None
    start: str
    metadata: tuple[str, ...]
    servers: str | None
    options: Mapping[str, str] = field(default_factory=dict)

    outputs = frozenset({Output.APPEND, Output.UPDATE})
    native = True
    retracts = True

    @property
    def address(self) -> str:
        return self.topic

    @property
    def text(self) -> str:
        form = "" if isinstance(self.value, _Default) else f" ({self.value.text})"
        return f"kafka topic {self.topic}{form}"

    def brokers(self, project: Project) -> str | None:
        try:
            return self._servers(project)
        except BrokerDown:
            return None

    @property
    def topics(self) -> Topics:
        """Spark's own options may name several in place of the one."""
        return Topics.SEVERAL if self._subscription else Topics.ONE

    @property
    def _subscription(self) -> Mapping[str, str]:
        return {name: value for name, value in self.options.items() if name.lower() in SUBSCRIPTIONS}

    def preflight(self, project: Project) -> None:
        from headrace.broker.admin import require_topics

        client = project.section("kafka").get("client")
        named = {name.lower(): value for name, value in self._subscription.items()}
        topics = named.get("subscribe", "").split(",") if named else [self.topic]
        require_topics(self._servers(project), [topic for topic in topics if topic], client=client)

    def ready(self, project: Project) -> None:
        self.preflight(project)

    def _servers(self, project: Project) -> str:
        from headrace.broker.address import bootstrap_servers

        return self.servers or bootstrap_servers(project)

    def refuses(self, mode: Mode, output: Output | None = None) -> str | None:
        return None if output is None else Sink.refuses(self, mode, output)

    # As a source.

    def reading(self, mode: Mode, project: Project) -> Reading:
        options = {
            "kafka.bootstrap.servers": self.brokers(project) or UNKNOWN,
            **({} if self._subscription else {"subscribe": self.topic}),
            "includeHeaders": "false",
            **self._starting(mode),
            **self.options,
        }
        decode = {"value": self.value} | ({"key": self.key} if self.key else {})
        return Reading("kafka", options, raw=decode, keep=self.metadata, stamps=STAMPS)

    def _starting(self, mode: Mode) -> dict[str, str]:
        at: dict[str, str]
        if self.start in ("beginning", "end"):
            word = "earliest" if self.start == "beginning" else "latest"
            at = {"startingOffsets": word if mode.streaming or word == "earliest" else "earliest"}
        elif self.start.startswith("{"):
            at = {"startingOffsets": _json.dumps({self.topic: _json.loads(self.start)})}
        else:
            millis = epoch_micros(instant(self.start)) // 1000
            at = {"startingTimestamp": str(millis), "startingOffsetsByTimestampStrategy": "latest"}
        return at if mode.streaming else at | {"endingOffsets": "latest"}

    def identity(self) -> dict[str, Any]:
        return {"source": "kafka", "address": self.topic, **self._subscription}

    # As a sink.

    @property
    def writing_in_real_time(self) -> str | None:
        return "kafka"

    def writing(self, project: Project) -> Writing:
        return Writing("kafka", self._producing(project))

    def write(self, batch: Batch) -> None:
        self.encode(batch.frame).write.format("kafka").options(**self._producing(batch.project)).save()

    def together(self, others: Sequence[Sink]) -> str | None:
        """One writer sends rows to several topics, of one cluster and with one set of options."""
        for other in others:
            if not isinstance(other, Kafka):
                return (
                    f"one writer cannot feed {self.text} and {other.text}; in real time, write both to Kafka"
                )
            if (self.servers, self.options) != (other.servers, other.options):
                return (
                    f"{self.text} and {other.text} are written with other servers or options; "
                    "in real time one writer feeds both"
                )
        return None

    def writing_together(self, project: Project) -> Writing:
        """The writer of rows that bring their topic."""
        options = self._producing(project)
        del options["topic"]
        return Writing("kafka", options)

    def addressed(self, frame: DataFrame) -> DataFrame:
        """The rows of `encode`, with their topic, in the shape that all topics share."""
        key = "key" if self.key_column is not None else "CAST(NULL AS BINARY) AS key"
        return self.encode(frame).selectExpr(key, "value", f"{literal(self.topic)} AS topic")

    def _producing(self, project: Project) -> dict[str, str]:
        return {
            "kafka.bootstrap.servers": self.brokers(project) or UNKNOWN,
            "topic": self.topic,
            **{name: value for name, value in self.options.items() if name.startswith("kafka.")},
        }

    def encode(self, frame: DataFrame) -> DataFrame:
        value = f"CAST({self.value.encoder(frame.columns)} AS BINARY) AS value"
        if self.key_column is None:
            return frame.selectExpr(value)
        return frame.selectExpr(f"CAST(CAST({quoted(self.key_column)} AS STRING) AS BINARY) AS key", value)

    def guarantee(self, mode: Mode) -> Guarantee:
        return Guarantee(Delivery.AT_LEAST_ONCE, f"{self.text} is written without transactions")


def kafka(
    topic: str,
    *,
    value: Serde | None = None,
    key: Serde | str | None = None,
    start: str | Instant | Mapping[int, int] = "beginning",
    metadata: bool | tuple[str, ...] | list[str] = (),
    servers: str | None = None,
    options: Mapping[str, str] | None = None,
) -> Kafka:
    """A Kafka topic, to read or to write.

    Read, `value` says how to decode ("text" when left out) and `start` where a new job begins: "beginning",
    "end", a time, or {partition: offset}. Written, `value` is JSON of all columns when left out, and `key`
    names the column whose value becomes the key. `servers` is the project's own broker when left out.

    >>> kafka("alarms").text
    'kafka topic alarms'
    """
    if not isinstance(topic, str) or not topic:
        raise InvalidOption(f"{topic!r} is not a topic", hint="give its name: hr.kafka('alarms')")
    if isinstance(start, Mapping):
        begin = _json.dumps({str(partition): offset for partition, offset in start.items()})
    elif start in ("beginning", "end"):
        begin = str(start)
    else:
        begin = instant(start, "start").isoformat()
    stamps = STAMPS if metadata is True else tuple(metadata or ())
    for stamp in stamps:
        if stamp not in STAMPS:
            raise InvalidOption(
                f"no metadata '{stamp}'", hint=did_you_mean(stamp, STAMPS, "metadata columns")
            )
    return Kafka(
        topic=topic,
        value=value or _Default(),
        key=key if isinstance(key, Serde) else None,
        key_column=key if isinstance(key, str) else None,
        start=begin,
        metadata=stamps,
        servers=servers,
        options=dict(options or {}),
    )


class _Default(Serde):
    """Text when read, JSON of all columns when written: what a topic is taken for when nothing was said."""

    @property
    def text(self) -> str:
        return "text"

    def decoder(self, bytes_: str, ddl: str) -> str:
        return text().decoder(bytes_, ddl)

    def encoder(self, columns: list[str]) -> str:
        return Json(None).encoder(columns)

    def encode(self, row: Mapping[str, Any] | Any) -> bytes:
        return text().encode(row) if isinstance(row, str) else Json(None).encode(row)

    def decode(self, value: bytes) -> Any:
        return text().decode(value)
