"""The same job on a cluster of processes as in one: same rows, with the user's own modules along."""

from __future__ import annotations

import json
import subprocess
import sys

from shop import Shop, environment

RULES = """
    def doubled(value):
        return value * 2
"""
JOB = """
    import json
    import sys

    import headrace as hr
    import rules

    app = hr.App("cluster")
    orders = app.read(hr.files("in", "json", schema="id string, ts timestamp, v double"), event_time="ts")
    doubled = orders.map(lambda row: {"id": row.id, "twice": rules.doubled(row.v)}, "id string, twice double")
    totals = hr.memory("totals")
    doubled.key_by("id").agg(n="count(*)", total="sum(twice)").write(totals)
    doubled.write(hr.files("out", "parquet"))

    if __name__ == "__main__":
        app.run(mode="available-now", master=sys.argv[1], checkpoint=sys.argv[2])
        print("ROWS", json.dumps(sorted(totals.rows, key=str)))
"""


def test_a_local_cluster_gives_the_same_rows(bare_shop: Shop) -> None:
    bare_shop.write("rules.py", RULES)
    bare_shop.write("job.py", JOB)
    lines = [{"id": f"k{n % 3}", "ts": f"2026-01-01T00:00:{n:02d}Z", "v": float(n)} for n in range(40)]
    bare_shop.write("in/rows.json", "".join(json.dumps(line) + "\n" for line in lines))
    found = []
    for place, master in enumerate(("local[2]", "local-cluster[2,1,1024]")):
        done = subprocess.run(
            [sys.executable, "job.py", master, f"checkpoint-{place}"],
            cwd=bare_shop.root, env=environment(), capture_output=True, text=True, timeout=200, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        found.append(next(line for line in done.stdout.splitlines() if line.startswith("ROWS")))
    assert found[0] == found[1]
    totals = {row["id"]: row for row in json.loads(found[0].removeprefix("ROWS "))}
    assert {key: row["n"] for key, row in totals.items()} == {"k0": 14, "k1": 13, "k2": 13}
    assert totals["k0"]["total"] == 2 * sum(range(0, 40, 3))
