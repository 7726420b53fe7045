"""See the package."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scripts.weights.chess_games import Recipe, add_arguments, run
from scripts.weights.chess_net.learn import Lesson, Net, chances, error_of, learn, new_net
from scripts.weights.chess_net.sample import Sample, of_games, of_walks
from tabiya.bots.evaluators.chess.network import FILE, save

RECIPE = Recipe(nodes=1200, most=200, first_ply=2, decided=1500, wild=0.6)
SCALE = 0.004  # of a value in hundredths in the exponent: what explains the results of the games best, about
FIRST_SCALE = 0.94  # of the books' evaluation on that scale: the slope of the network on it over 1,336 positions
WALKED = 28_000_000  # positions near those of the games, in each round
WALK_RATE = 0.002


def walked(net: Net, text: Any, count: int, given: argparse.Namespace) -> None:
    """Train the net first on the books' evaluation of many positions, others in each round."""

    def lesson(number: int) -> Lesson:
        sample = of_walks(text, count, max(1, given.walked // count), given.walk_rounds * given.seed + number)
        return Lesson(sample, chances(FIRST_SCALE * sample.values, SCALE))

    rounds = learn(net, lesson, SCALE, given.walk_rounds, WALK_RATE, given.seed)
    for number, (size, error) in enumerate(rounds, 1):
        print(f"walked, round {number}: {size} positions, {error:.6f}", flush=True)


def errors_on(net: Net, sample: Sample) -> str:
    """The net's errors against the searches' values and against the results."""
    errors = (error_of(net, sample, aims, SCALE) for aims in (chances(sample.values, SCALE), sample.points))
    return " and ".join(f"{error:.5f}" for error in errors)


def run_fit(given: argparse.Namespace) -> None:
    """Fit, tell the losses, write the file if asked."""
    sample, held, text = of_games(given.file)
    if held.all():
        raise ValueError("there are only games that are held out: every fortieth, from number 0 on")
    net = new_net(given.seed)
    if given.walk_rounds:
        walked(net, text, len(held), given)
    known, unknown = sample.part(~held), sample.part(held)
    print(
        f"held out: {len(unknown.men)} positions, from their searches and results {errors_on(net, unknown)}", flush=True
    )
    aims = (1 - given.results) * chances(known.values, SCALE) + given.results * known.points.astype("float32")
    rounds = learn(net, lambda _: Lesson(known, aims), SCALE, given.rounds, given.rate, given.seed)
    for number, (size, error) in enumerate(rounds, 1):
        print(f"games, round {number}: {size} positions, {error:.6f}; held out {errors_on(net, unknown)}", flush=True)
    if given.write:
        save(FILE, net.rows())
    if given.to:
        save(given.to, net.rows())


def main(arguments: Sequence[str] | None = None) -> None:
    """Carry out the command line."""
    parser = argparse.ArgumentParser(description="Fit the network of the chess evaluation to games of the engine.")
    commands = parser.add_subparsers(required=True)
    add_arguments(commands.add_parser("play", help="play games, or go on playing"), RECIPE, 40_000)
    fitting = commands.add_parser("fit", help="fit the network to the games of files")
    fitting.add_argument("file", type=Path, nargs="+")
    fitting.add_argument("--walked", type=int, default=WALKED, help="positions for each round of the first part of it")
    fitting.add_argument("--walk-rounds", type=int, default=6, help="of the first part")
    fitting.add_argument("--rounds", type=int, default=6, help="over the positions of the games")
    fitting.add_argument("--rate", type=float, default=0.001, help="of learning from them, at first")
    fitting.add_argument("--results", type=float, default=0.15, help="share of results, not values, in the aims")
    fitting.add_argument("--seed", type=int, default=1)
    fitting.add_argument("--write", action="store_true", help="write the network of the players")
    fitting.add_argument("--to", type=Path, help="write the network to this file (.npz)")
    fitting.set_defaults(run=run_fit)
    run(parser, arguments)


if __name__ == "__main__":
    main()
