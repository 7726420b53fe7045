"""python -m scripts.long_runs.worker_days --days 1000 [--first N] [--planted NAME] [--trace]"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections import Counter

from scripts.long_runs.worker_days.day import run_day
from scripts.long_runs.worker_days.planted_bugs import PLANTED

LAST_EVENTS = 40
REPORT_S = 10.0


def main() -> int:
    """Run the days; 1 if any of them has failed."""
    parser = argparse.ArgumentParser(prog="python -m scripts.long_runs.worker_days", description=__doc__)
    parser.add_argument("--days", type=int, default=100, help="how many")
    parser.add_argument("--first", type=int, default=1, help="the first of them")
    parser.add_argument("--trace", action="store_true", help="print everything that happens")
    parser.add_argument("--planted", choices=sorted(PLANTED), help="put this fault into the leases")
    given = parser.parse_args()
    with PLANTED[given.planted]() if given.planted else contextlib.nullcontext():
        return run_days(given)


def run_days(given: argparse.Namespace) -> int:
    """All of them, or up to the first that fails."""
    began_s, told_s, sums, failed = time.process_time(), time.monotonic(), Counter[str](), 0
    for done, seed in enumerate(range(given.first, given.first + given.days), 1):
        outcome = run_day(seed)
        sums.update(outcome.figures)
        if given.trace:
            print("\n".join(outcome.trace.lines()))
        if outcome.faults:
            failed = seed
            print("\n".join(outcome.trace.lines(LAST_EVENTS)))
            print(f"day {seed} fails:", *outcome.faults, sep="\n  ")
            planted = f" --planted {given.planted}" if given.planted else ""
            print(f"again: python -m scripts.long_runs.worker_days --days 1 --first {seed} --trace{planted}")
            break
        if time.monotonic() - told_s > REPORT_S:
            told_s = time.monotonic()
            print(f"{done} days", flush=True)
    used_s = time.process_time() - began_s
    print(f"{done} days from {given.first}, {used_s:.0f} s of processor time, {used_s / done:.2f} s each")
    print(", ".join(f"{name} {value:,}" for name, value in sorted(sums.items())))
    print(f"failed: {failed or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
