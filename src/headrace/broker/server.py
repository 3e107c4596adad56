"""The embedded Kafka: one real broker for a project, on this machine alone."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from headrace.broker import health, ports, process
from headrace.broker.properties import (
    class_archive,
    cluster_id_of,
    java_command,
    kafka_version,
    new_cluster_id,
    require_data_folder,
    server_properties,
)
from headrace.broker.record import Places, Record, read, write
from headrace.errors import BrokerDown, DiskFull, PortTaken, SetupError
from headrace.settings import Project
from headrace.supply.disk import require_room
from headrace.supply.java import Java, find_java
from headrace.supply.notice import Notice, notice
from headrace.time import SYSTEM_CLOCK, Clock

CLEARING, FADING = 5.0, 0.5
"""Seconds that a killed broker is given to let go of its data, and then of its port."""
_TELLING = (" ERROR ", " FATAL ", "Exception", "Caused by", "Error:", "OutOfMemory")


@dataclass(frozen=True, slots=True)
class Status:
    """How the broker of a project stands."""

    up: bool
    answers: bool
    servers: str | None
    pid: int | None
    port: int | None
    cluster_id: str | None
    data: str
    log: str
    version: str

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class Broker:
    """The broker of one project: `up`, `down`, `status`."""

    def __init__(self, project: Project, *, clock: Clock = SYSTEM_CLOCK) -> None:
        self._project = project
        self._places = Places.of(project)
        self._clock = clock

    def status(self) -> Status:
        """How it stands now, asked within a second."""
        record = read(self._places)
        up = record is not None and process.is_ours(record.pid, self._places.properties)
        return Status(
            up=up,
            answers=up and record is not None and health.answers(record.servers, 1.0),
            servers=record.servers if record and up else None,
            pid=record.pid if record and up else None,
            port=record.port if record else None,
            cluster_id=record.cluster_id if record else None,
            data=str(self._data(record, None)),
            log=str(self._places.log),
            version=kafka_version(),
        )

    def up(self, port: int | None = None, data: Path | None = None, *, wait: float = 60.0) -> Status:
        """Start it, unless it is up, and come back when it answers; `wait` is in seconds."""
        with _locked(self._places.lock):
            record = read(self._places)
            if record is None or not self._is_still_up(record, port, data, wait):
                self._start(record, port, data, wait)
        return self.status()

    def down(self) -> bool:
        """Stop it and keep its data; false when it was not up."""
        places = self._places
        record = read(places)
        if record is None or not process.is_ours(record.pid, places.properties):
            return False
        assert record.pid is not None
        with _locked(places.lock), notice("stopping the broker") as shown:
            shown.update()
            gently = process.stop(record.pid, places.properties, clock=self._clock)
            write(places, replace(record, pid=None))
            if gently:
                self._keep_classes()
        return True

    def _is_still_up(self, record: Record, port: int | None, data: Path | None, wait: float) -> bool:
        """Whether the recorded process lives and answers; one that dies meanwhile is not up."""
        if not process.is_ours(record.pid, self._places.properties):
            return False
        self._require_same(record, port, data)
        with notice("waiting for the broker") as shown:
            return self._await(record, wait, shown)

    def _start(self, last: Record | None, port: int | None, data: Path | None, wait: float) -> None:
        folder = self._data(last, data)
        require_data_folder(folder)
        require_room(folder)
        _require_unused(folder, self._clock)
        chosen = self._port(last, port)
        java = find_java()
        command = java_command(
            java, self._places, "kafka.Kafka", str(self._places.properties), heap=self._heap()
        )
        with notice("starting the broker") as shown:
            for attempt in range(3):
                try:
                    self._launch(java, command, chosen, folder, wait, shown)
                    return
                except PortTaken:
                    if port is not None or attempt == 2:
                        raise
                    chosen = ports.next_free(chosen + 1)

    def _launch(
        self, java: Java, command: list[str], port: int, data: Path, wait: float, shown: Notice
    ) -> None:
        places = self._places
        data.mkdir(parents=True, exist_ok=True)
        text = server_properties(port, ports.any_free(), data)
        places.properties.write_text(text, encoding="ascii")
        cluster = cluster_id_of(data) or self._format(java, data, shown)
        begun = places.log.stat().st_size if places.log.exists() else 0
        pid = process.start(command, places.output)
        own = data == places.data
        record = Record(pid, port, cluster, None if own else str(data))
        write(places, record)
        try:
            if not self._await(record, wait, shown):
                self._raise_dead(_lines(places.log, begun) + _lines(places.output, 0), port)
        except BaseException:
            process.stop(pid, places.properties, patience=2.0)
            write(places, replace(record, pid=None))
            raise

    def _format(self, java: Java, data: Path, shown: Notice) -> str:
        """Give a new data folder its cluster id."""
        cluster = new_cluster_id()
        arguments = ("format", "-t", cluster, "-c", str(self._places.properties), "--ignore-formatted")
        command = java_command(java, self._places, "kafka.tools.StorageTool", *arguments)
        shown.update()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            self._raise_dead((done.stdout + done.stderr).splitlines(), None)
        return cluster_id_of(data) or cluster

    def _await(self, record: Record, wait: float, shown: Notice) -> bool:
        """Wait for our own cluster to answer a true request; false when its process dies."""
        deadline = self._clock.monotonic() + wait
        while True:
            if health.answers(record.servers, 0.2) and _cluster_at(record.servers) == record.cluster_id:
                return True
            if not process.is_ours(record.pid, self._places.properties):
                return False
            if self._clock.monotonic() > deadline:
                raise BrokerDown(
                    f"the broker did not answer at {record.servers} within {wait:g} s",
                    hint=f"look into {self._places.log}, then try again: `headrace up`",
                )
            shown.update()
            self._clock.sleep(0.03)

    def _raise_dead(self, lines: list[str], port: int | None) -> None:
        text = "\n".join(lines)
        if "No space left on device" in text:
            raise DiskFull(
                "the broker stopped: no room left on its disk",
                hint="free some room, or give it a folder on another disk: headrace up --data FOLDER",
            )
        if "Address already in use" in text and port is not None:
            raise PortTaken(
                f"port {port} is taken by another program",
                hint="leave --port away to take a free one, or give another",
            )
        if "Failed to acquire lock on file .lock" in text:
            raise _data_in_use()
        telling = [line.strip()[:200] for line in lines if any(word in line for word in _TELLING)]
        shown = list(dict.fromkeys(telling))[:4] or [line.strip()[:200] for line in lines[-4:]]
        told = "".join(f"\n    {line}" for line in shown)
        raise BrokerDown(
            f"the broker stopped while it started{':' if told else ''}{told}", hint=self._log_hint()
        )

    def _log_hint(self) -> str:
        return f"the whole story is in {self._places.log} and {self._places.output.name} beside it"

    def _require_same(self, record: Record, port: int | None, data: Path | None) -> None:
        """Refuse to say 'up' where something else was asked for."""
        again = "`headrace down` first, then `headrace up` with what you want; or leave it as it is"
        if port is not None and port != record.port:
            raise SetupError(f"the broker is up on port {record.port}, not on {port}", hint=again)
        if data is not None and data.resolve() != self._data(record, None):
            raise SetupError(
                f"the broker is up with its data in {self._data(record, None)}, not in {data}", hint=again
            )

    def _data(self, record: Record | None, asked: Path | None) -> Path:
        if asked is not None:
            return asked.resolve()
        named = self._project.get("broker", "data")
        if named:
            return (self._project.root / str(named)).resolve()
        return Path(record.data) if record and record.data else self._places.data

    def _port(self, last: Record | None, asked: int | None) -> int:
        named = asked or self._project.get("broker", "port")
        if named is not None:
            return ports.require_free(int(named))
        if last is not None and self._is_freed(last.port):
            return last.port
        return ports.next_free()

    def _is_freed(self, port: int) -> bool:
        """Whether the port is free, or becomes so as a broker that was killed a moment ago fades away."""
        end = self._clock.monotonic() + FADING
        while not ports.is_free(port):
            if self._clock.monotonic() > end:
                return False
            self._clock.sleep(0.05)
        return True

    def _heap(self) -> str:
        return str(self._project.get("broker", "heap", "768m"))

    def _keep_classes(self) -> None:
        """Give the archive of classes that the first run left to all later ones."""
        left = self._places.classes
        if left.is_file():
            archive = class_archive(find_java())
            archive.parent.mkdir(parents=True, exist_ok=True)
            beside = archive.with_name(f"{archive.name}.{os.getpid()}")
            shutil.move(left, beside)
            beside.replace(archive)


def _require_unused(data: Path, clock: Clock) -> None:
    """Refuse a folder that a broker holds: a second one would spoil its metadata before it noticed.

    A broker that was killed a moment ago holds it until the system has cleared its memory away.
    """
    end = clock.monotonic() + CLEARING
    while (data / ".lock").exists() and _is_held(data / ".lock"):
        if clock.monotonic() > end:
            raise _data_in_use()
        clock.sleep(0.05)


def _is_held(lock: Path) -> bool:
    with lock.open("r+") as held:
        try:
            fcntl.lockf(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _data_in_use() -> SetupError:
    return SetupError(
        "another broker uses the same data folder",
        hint="`headrace down` in its project, or give another folder: headrace up --data FOLDER",
    )


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """One command at a time for a project's broker."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def _lines(path: Path, begin: int) -> list[str]:
    try:
        content = path.read_bytes()
    except OSError:
        return []
    return content[begin if begin <= len(content) else 0 :].decode(errors="replace").splitlines()


def _cluster_at(servers: str) -> str | None:
    """The id that the broker there gives to a metadata request, or nothing where there is none."""
    from headrace.broker.client import cluster_id

    return cluster_id(servers, timeout=2.0)
