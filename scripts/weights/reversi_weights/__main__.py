"""The two commands: play, fit."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from scripts.weights.reversi_weights.fit import RIDGE, VALUES, Positions, fit
from scripts.weights.reversi_weights.play import DEPTH, Generator, Labelled
from tabiya.bots.evaluators.reversi.weights import FILE, save

REPORT_S = 30.0


def play(given: argparse.Namespace) -> None:
    """Play games and write their positions."""
    generator, reported = Generator(given.depth), time.monotonic()
    found: list[Labelled] = []
    for number in range(given.games):
        found.extend(generator.game(1_000_003 * given.seed + number))
        if time.monotonic() > reported + REPORT_S:
            reported = time.monotonic()
            print(f"{number + 1} games, {len(found)} positions", flush=True)
    np.savez_compressed(given.to, **Positions.of(found)._asdict())
    print(f"{given.games} games, {len(found)} positions in {given.to}")


def fit_weights(given: argparse.Namespace) -> None:
    """Fit weights to the positions of files and write them."""
    files = [np.load(path) for path in given.files]
    positions = Positions(*(np.concatenate([file[name] for file in files]) for name in Positions._fields))
    fitted = []
    for phase, found in enumerate(fit(positions, given.values, given.ridge)):
        fitted.append(found.weights)
        print(
            f"phase {phase}: {found.positions} positions, off by {found.error:.2f} discs, "
            f"held out {found.held_out_error:.2f}",
            flush=True,
        )
    save(given.to, np.stack(fitted))
    print(f"{given.to}: {given.to.stat().st_size / 1024:.0f} kB")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    found = argparse.ArgumentParser(prog="python -m scripts.weights.reversi_weights", description=__doc__)
    commands = found.add_subparsers(required=True)
    playing = commands.add_parser("play", help="the engine plays itself; write positions with their results")
    playing.add_argument("--games", type=int, default=20_000)
    playing.add_argument("--seed", type=int, default=1)
    playing.add_argument("--depth", type=int, default=DEPTH)
    playing.add_argument("--to", type=Path, required=True)
    playing.set_defaults(run=play)
    fitting = commands.add_parser("fit", help="weights from positions with their results")
    fitting.add_argument("files", nargs="+", type=Path)
    fitting.add_argument("--values", type=float, default=VALUES, help="share of the searches' values in what is fitted")
    fitting.add_argument("--ridge", type=float, default=RIDGE)
    fitting.add_argument("--to", type=Path, default=FILE)
    fitting.set_defaults(run=fit_weights)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command given."""
    given = parser().parse_args(arguments)
    given.run(given)


if __name__ == "__main__":
    main(sys.argv[1:])
