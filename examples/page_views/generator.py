"""Makes page views for a while: JSON to Kafka, each with a number, and a list of all that Kafka has taken."""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

TOPIC = "page-views"
PAGES = {"/home": 40, "/search": 25, "/item": 20, "/cart": 10, "/pay": 5}
FAILING = {"/search": 0.02, "/pay": 0.15}
DISORDER = 2.0
"""How many seconds a view may be on its way, so that it comes after younger ones."""


def views(rate: int, seconds: float, chance: random.Random) -> Iterator[dict[str, Any]]:
    """Views as time passes, `rate` of them a second."""
    begin = time.monotonic()
    for seq in range(int(rate * seconds)):
        time.sleep(max(0.0, begin + seq / rate - time.monotonic()))
        page = chance.choices(list(PAGES), list(PAGES.values()))[0]
        failed = chance.random() < FAILING.get(page, 0.0)
        moment = datetime.now(UTC) - timedelta(seconds=min(chance.expovariate(4), DISORDER))
        yield {
            "seq": seq,
            "page": page,
            "user": f"user-{chance.randrange(50)}",
            "status": chance.choice([500, 503]) if failed else 200,
            "load_ms": round(chance.lognormvariate(5, 0.5)) * (5 if failed else 1),
            "event_time": moment.isoformat(timespec="microseconds"),
        }


def send(servers: str, made: Iterator[dict[str, Any]], sent: Path) -> int:
    """Send every view; the ones that Kafka has taken go to `sent`, a line each. Gives how many it refused."""
    from confluent_kafka import Producer

    producer = Producer(
        {"bootstrap.servers": servers, "enable.idempotence": True, "linger.ms": 20, "log_level": 3}
    )
    refused = 0
    with sent.open("w", encoding="utf-8") as kept:
        for view in made:
            line = json.dumps(view)

            def taken(error: object, _message: object, line: str = line) -> None:
                nonlocal refused
                if error is None:
                    kept.write(f"{line}\n")
                else:
                    refused += 1

            producer.produce(TOPIC, value=line, key=view["page"], on_delivery=taken)
            producer.poll(0)
        refused += producer.flush(30)
    return refused


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--servers", required=True, help="where Kafka is: host:port")
    parser.add_argument("--sent", required=True, type=Path, help="a file for the views that Kafka has taken")
    parser.add_argument("--rate", type=int, default=200, help="views a second")
    parser.add_argument("--seconds", type=float, default=20.0, help="how long")
    parser.add_argument("--seed", type=int, default=1, help="what chance begins with")
    given = parser.parse_args()
    made = views(given.rate, given.seconds, random.Random(given.seed))
    raise SystemExit(1 if send(given.servers, made, given.sent) else 0)
