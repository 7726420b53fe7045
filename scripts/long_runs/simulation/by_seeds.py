"""The command of a simulation: runs by their seeds, their outcomes, and how to repeat one."""

from __future__ import annotations

import argparse
import contextlib
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

from msgspec import Struct

from scripts.long_runs.simulation.trace import Trace

LAST_EVENTS = 40
REPORT_S = 10.0


class Outcome(Struct, frozen=True):
    """The outcome of a seed. faults: empty if all is well."""

    seed: int
    faults: tuple[str, ...]
    figures: Mapping[str, float]
    trace: Trace

    @property
    def digest(self) -> str:
        """Equal for two runs in which the same happened at the same times."""
        return self.trace.digest()


def command(
    module: str,
    run: Callable[[int], Outcome],
    planted: Mapping[str, Callable[[], AbstractContextManager[None]]],
    *,
    unit: str = "seed",
) -> int:
    """Run the seeds of the command line; 1 if any has failed. unit: what one of them is called."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}")
    parser.add_argument(f"--{unit}s", dest="seeds", type=int, default=100, help="how many")
    parser.add_argument("--first", type=int, default=1, help="the first of them")
    parser.add_argument("--trace", action="store_true", help="print everything that happens")
    parser.add_argument("--go-on", action="store_true", help=f"run the other {unit}s, too, after one has failed")
    parser.add_argument("--planted", choices=sorted(planted), help="put this fault into what is tried")
    given = parser.parse_args()
    with planted[given.planted]() if given.planted else contextlib.nullcontext():
        return _run_all(module, run, unit, given)


def _run_all(module: str, run: Callable[[int], Outcome], unit: str, given: argparse.Namespace) -> int:
    """All of them, or up to the first that fails."""
    began_s, reported_s, failed = time.process_time(), time.monotonic(), list[int]()
    sums: Counter[str] = Counter()
    for done, seed in enumerate(range(given.first, given.first + given.seeds), 1):
        outcome = run(seed)
        sums.update({name: int(value) for name, value in outcome.figures.items()})
        if given.trace:
            print("\n".join(outcome.trace.lines()))
        if outcome.faults:
            failed.append(seed)
            again = f"python -m {module} --{unit}s 1 --first {seed} --trace"
            _tell_failure(outcome, unit, again + (f" --planted {given.planted}" if given.planted else ""))
            if not given.go_on:
                break
        if time.monotonic() - reported_s > REPORT_S:
            reported_s = time.monotonic()
            print(f"{done} {unit}s, {len(failed)} failed", flush=True)
    used_s = time.process_time() - began_s
    print(f"{done} {unit}s from {given.first}, {used_s:.0f} s of processor time, {used_s / done:.2f} s each")
    print(", ".join(f"{name} {value:,}" for name, value in sums.items()))
    print(f"failed: {', '.join(map(str, failed)) or 'none'}")
    return 1 if failed else 0


def _tell_failure(outcome: Outcome, unit: str, again: str) -> None:
    """Print the faults, the last events, and how to repeat the run."""
    print("\n".join(outcome.trace.lines(LAST_EVENTS)))
    print(f"{unit} {outcome.seed} fails:")
    print("\n".join(f"  {sentence}" for sentence in outcome.faults))
    print(f"again: {again}   (digest {outcome.digest})", flush=True)
