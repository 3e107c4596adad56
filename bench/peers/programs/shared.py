"""What the programs of peers share; it runs in their environments, and imports nothing of ours."""

import json
import sys
from pathlib import Path

MODULUS = 65_521
job = json.loads(Path(sys.argv[1]).read_text()) if len(sys.argv) > 1 else {}


def tell(seconds, results, checksum, **more):
    """The program's last line."""
    print(json.dumps({"seconds": seconds, "results": int(results), "checksum": int(checksum), **more}))


class Total:
    """Counts results that end by the cutoff, and sums their numbers up."""

    def __init__(self, cutoff_micros):
        self.cutoff = cutoff_micros // 1000
        self.results = 0
        self.checksum = 0

    def add(self, key, ends, n, total):
        if ends <= self.cutoff:
            self.results += 1
            self.checksum += (key * 1_000_003 + ends) % MODULUS * (n * 31 + int(total))
