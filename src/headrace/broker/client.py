"""Kafka clients that make no noise, and their errors in our words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from headrace.broker.health import HINT, require_answer
from headrace.errors import BrokerDown, SetupError

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient

Options = Mapping[str, Any] | None
PATIENCE = 5.0


def configuration(servers: str, options: Options = None, **more: Any) -> dict[str, Any]:
    """The settings of a client, with librdkafka's own lines on stderr turned off."""
    settings = {key.replace("_", "."): value for key, value in more.items()}
    return {
        "bootstrap.servers": servers,
        "client.id": "headrace",
        "log_level": 0,
        "error_cb": _ignore,
        "socket.connection.setup.timeout.ms": 5000,
        "reconnect.backoff.ms": 50,
        "reconnect.backoff.max.ms": 1000,
        **settings,
        **(options or {}),
    }


def _ignore(error: object) -> None:
    """Broken connections are retried by the client; what matters comes back from the call itself."""


def admin_client(servers: str, options: Options = None) -> AdminClient:
    """A client that administers, once something answers at that address."""
    from confluent_kafka.admin import AdminClient

    require_answer(servers)
    return AdminClient(configuration(servers, options))


def kafka_admin() -> Any:
    """The client's `admin` module, which does not tell type checkers the names that it exports."""
    import confluent_kafka.admin

    return confluent_kafka.admin


def cluster_id(servers: str, *, timeout: float = PATIENCE, options: Options = None) -> str | None:
    """The id of the cluster at that address, or nothing where none answers a request in time."""
    from confluent_kafka import KafkaException
    from confluent_kafka.admin import AdminClient

    try:
        metadata = AdminClient(configuration(servers, options)).list_topics(timeout=timeout)
    except KafkaException:
        return None
    found: str | None = metadata.cluster_id
    return found


@contextmanager
def our_errors(servers: str, doing: str) -> Iterator[None]:
    """Raise what Kafka refuses as an error of ours that says what was being done."""
    from confluent_kafka import KafkaError, KafkaException

    silent = (KafkaError._TRANSPORT, KafkaError._TIMED_OUT, KafkaError._ALL_BROKERS_DOWN, KafkaError._RESOLVE)
    try:
        yield
    except KafkaException as failure:
        error = failure.args[0]
        if error.code() in silent:
            raise BrokerDown(f"no Kafka answers at {servers} ({error.str()})", hint=HINT) from None
        raise SetupError(
            f"{doing} failed: {error.str()} ({error.name()})", hint=_advice(error.name())
        ) from None


def _advice(name: str) -> str | None:
    if "AUTH" in name:
        return "set the client's credentials under [kafka.client] in headrace.toml, as librdkafka names them"
    return None
