"""`python -m bench [--only SUITE] [--quick]`: run suites, print their tables, write bench/results.json."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from pathlib import Path

from bench import suites
from bench.report import keep, table


def main() -> int:
    names = sorted(module.name for module in pkgutil.iter_modules(suites.__path__))
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure Headrace beside its peers.")
    parser.add_argument("--only", choices=names, help="one suite")
    parser.add_argument("--quick", action="store_true", help="small inputs, for a look in under a minute")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("results.json"))
    chosen = parser.parse_args()
    for name in [chosen.only] if chosen.only else names:
        suite = importlib.import_module(f"bench.suites.{name}")
        print(f"\n{name}: {suite.__doc__.strip().splitlines()[0]}", flush=True)
        results = suite.run(quick=chosen.quick)
        print(table(results), flush=True)
        keep(chosen.out, name, results, quick=chosen.quick)
        print(f"written to {chosen.out}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
