"""What the embedded broker is told: its `server.properties` and Java's flags."""

from __future__ import annotations

import base64
import re
import uuid
from pathlib import Path

from headrace.broker.record import HOST, Places
from headrace.errors import InvalidOption
from headrace.supply.classes import archive_of
from headrace.supply.jars import classpath, locked
from headrace.supply.java import Java

_HERE = Path(__file__).parent
CLEAN = ".kafka_cleanshutdown"

FIXED = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "auto.create.topics.enable": "false",
    "delete.topic.enable": "true",
    "num.partitions": "1",
    "default.replication.factor": "1",
    # One node keeps every internal topic, in few partitions: each costs files and time.
    "offsets.topic.num.partitions": "4",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.num.partitions": "4",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "share.coordinator.state.topic.num.partitions": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    # A group starts as soon as its first member is there, and misses a killed member soon.
    "group.initial.rebalance.delay.ms": "0",
    "group.min.session.timeout.ms": "1000",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "2000",
    # Retention goes by the records' own timestamps: with a limit, replayed old events vanish in seconds.
    "log.retention.ms": "-1",
    # Retention and compaction are seen within seconds; the defaults are five minutes and 128 MB.
    "log.initial.task.delay.ms": "1000",
    "log.retention.check.interval.ms": "2000",
    "log.segment.delete.delay.ms": "1000",
    "log.cleaner.backoff.ms": "2000",
    "log.cleaner.dedupe.buffer.size": "16777216",
    "num.network.threads": "2",
    "num.io.threads": "4",
    "num.recovery.threads.per.data.dir": "2",
    "metadata.max.idle.interval.ms": "0",
    "controlled.shutdown.enable": "true",
}
# After a kill, the old registration holds the new one off until its session ends (9 s by default).
AFTER_A_KILL = {"broker.session.timeout.ms": "2000", "broker.heartbeat.interval.ms": "400"}


def server_properties(port: int, controller_port: int, data: Path) -> str:
    """The whole file, in Java's own format."""
    settings = {
        **FIXED,
        "controller.quorum.voters": f"1@{HOST}:{controller_port}",
        "listeners": f"PLAINTEXT://{HOST}:{port},CONTROLLER://{HOST}:{controller_port}",
        "advertised.listeners": f"PLAINTEXT://{HOST}:{port}",
        "log.dirs": str(data),
    }
    if (data / "meta.properties").is_file() and not (data / CLEAN).is_file():
        settings.update(AFTER_A_KILL)
    return "".join(f"{key}={escaped(value)}\n" for key, value in settings.items())


def escaped(value: str) -> str:
    r"""The value as a `.properties` file must have it.

    >>> escaped("/größe\\a")
    '/gr\\u00f6\\u00dfe\\\\a'
    """
    units = value.replace("\\", "\\\\").encode("utf-16-be")
    codes = [int.from_bytes(units[i : i + 2], "big") for i in range(0, len(units), 2)]
    return "".join(chr(code) if code < 128 else f"\\u{code:04x}" for code in codes)


def require_data_folder(data: Path) -> None:
    """Refuse a name that Kafka would take for two folders."""
    if "," in str(data):
        raise InvalidOption(
            f"the broker cannot keep its data in {data}: Kafka takes the comma for the end of the path",
            hint="give a folder without a comma: headrace up --data FOLDER",
        )


def java_command(java: Java, places: Places, main: str, *arguments: str, heap: str = "768m") -> list[str]:
    """Java with the broker's jars, a small heap, and the archive of loaded classes that halves its start."""
    archive = class_archive(java)
    share = f"-XX:SharedArchiveFile={archive}" if archive.is_file() else ""
    if not share and main == "kafka.Kafka":
        share = f"-XX:ArchiveClassesAtExit={places.classes}"
    flags = [
        f"-Xmx{heap}",
        "-Xms128m",
        "-XX:+UseG1GC",
        "-XX:MaxGCPauseMillis=20",
        "-XX:+ExitOnOutOfMemoryError",
        "-XX:-UsePerfData",
        *([share] if share else []),
        "-Djava.awt.headless=true",
        f"-Dlog4j2.configurationFile={(_HERE / 'log4j2.xml').as_uri()}",
        f"-Dheadrace.broker.log={places.log}",
    ]
    return [str(java.executable), *flags, "-cp", classpath("broker"), main, *arguments]


def class_archive(java: Java) -> Path:
    """Where the classes that a broker of these jars loads on this Java are kept, ready to map."""
    return archive_of(java, "broker", [str(sorted(locked("broker").items())), classpath("broker")])


def kafka_version() -> str:
    """The version of the pinned broker."""
    found = (re.fullmatch(r"kafka_2\.13-(.+)\.jar", file) for file in locked("broker"))
    return next(match[1] for match in found if match)


def new_cluster_id() -> str:
    """A random name in the form that Kafka gives out."""
    while True:
        name = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        if not name.startswith("-"):
            return name


def cluster_id_of(data: Path) -> str | None:
    """The cluster that the data belongs to, or nothing for a folder that was never formatted."""
    try:
        text = (data / "meta.properties").read_text(encoding="utf-8")
    except OSError:
        return None
    found = re.search(r"^cluster\.id=(.+)$", text, re.MULTILINE)
    return found[1].strip() if found else None
