"""python -m scripts.long_runs.simulation --seeds 1000 [--first N] [--planted NAME] [--trace]"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections import Counter

from scripts.long_runs.simulation.planted_bugs import PLANTED
from scripts.long_runs.simulation.world import Outcome, run_seed

LAST_EVENTS = 40
REPORT_S = 10.0


def main() -> int:
    """Run the seeds; 1 if any of them has failed."""
    parser = argparse.ArgumentParser(prog="python -m scripts.long_runs.simulation", description=__doc__)
    parser.add_argument("--seeds", type=int, default=100, help="how many")
    parser.add_argument("--first", type=int, default=1, help="the first of them")
    parser.add_argument("--trace", action="store_true", help="print everything that happens")
    parser.add_argument("--go-on", action="store_true", help="run the other seeds, too, after one has failed")
    parser.add_argument("--planted", choices=sorted(PLANTED), help="put this fault into the server")
    given = parser.parse_args()
    with PLANTED[given.planted]() if given.planted else contextlib.nullcontext():
        return run_seeds(given)


def run_seeds(given: argparse.Namespace) -> int:
    """All of them, or up to the first that fails."""
    began_s, told_s, failed = time.process_time(), time.monotonic(), list[int]()
    sums: Counter[str] = Counter()
    for done, seed in enumerate(range(given.first, given.first + given.seeds), 1):
        outcome = run_seed(seed)
        sums.update({name: int(value) for name, value in outcome.figures.items()})
        if given.trace:
            print("\n".join(outcome.trace.lines()))
        if outcome.faults:
            failed.append(seed)
            tell_failure(outcome, given.planted)
            if not given.go_on:
                break
        if time.monotonic() - told_s > REPORT_S:
            told_s = time.monotonic()
            print(f"{done} seeds, {len(failed)} failed", flush=True)
    used_s = time.process_time() - began_s
    print(f"{done} seeds from {given.first}, {used_s:.0f} s of processor time, {used_s / done:.2f} s each")
    print(", ".join(f"{name} {value:,}" for name, value in sums.items()))
    print(f"failed: {', '.join(map(str, failed)) or 'none'}")
    return 1 if failed else 0


def tell_failure(outcome: Outcome, planted: str | None) -> None:
    """What was wrong, what had happened last, and how to see it again."""
    print("\n".join(outcome.trace.lines(LAST_EVENTS)))
    print(f"seed {outcome.seed} fails:")
    print("\n".join(f"  {sentence}" for sentence in outcome.faults))
    again = f"python -m scripts.long_runs.simulation --seeds 1 --first {outcome.seed} --trace"
    again += f" --planted {planted}" if planted else ""
    print(f"again: {again}   (digest {outcome.digest})", flush=True)


if __name__ == "__main__":
    sys.exit(main())
