"""See the package."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scripts.weights.chess_games import GAME, Recipe, add_arguments, read_games, run
from scripts.weights.chess_weights.coefficients import coefficients
from scripts.weights.chess_weights.fit import Sample, best_scale, chances, fit, loss, values
from tabiya.bots.evaluators.chess.weight_values import NUMBERS
from tabiya.bots.evaluators.chess.weights import DANGER, PAIRS, Numbers, read, record_of, write
from tabiya.games.registry import load_game

TARGET = Path(__file__).parents[3] / "bots/evaluators/chess/weight_values.py"
FRAME = '''"""The numbers that chess_weights.py reads. Written by `python -m scripts.weights.chess_weights`."""

NUMBERS = """
{}"""
'''
HELD_OUT = 8  # every eighth game is not fitted to, and judges the fit
RECIPE = Recipe(
    nodes=2500,
    most=32,
    first_ply=6,
    decided=800,
    evaluator="tabiya.bots.evaluators.chess.classical_evaluator:HandmadeEvaluator",
)


def positions_of(path: Path) -> tuple[Any, Any, Any, Any]:
    """The positions as records, the points of their games, their values, whether they are held out.

    Raises ValueError if there are none.
    """
    game, games = load_game(GAME), read_games(path)
    texts = [text for one in games for text in one.positions]
    states = np.zeros(len(texts), game.state).view(np.recarray)
    for i, text in enumerate(texts):
        states[i] = game.parse(text).state
    points = np.array([one.points for one in games for _ in one.positions])
    held = np.array([one.number % HELD_OUT == 0 for one in games for _ in one.positions])
    values = np.array([value for one in games for value in one.values])
    if not texts:
        raise ValueError(f"{path} has no positions")
    return states, points, values, held


def flat(numbers: dict[str, Numbers]) -> Any:
    """All numbers in a row: the early ones of the pairs, the late ones, the dangers."""
    pairs = [np.concatenate([numbers[name][half].ravel() for name in PAIRS]) for half in (0, 1)]
    return np.concatenate([*pairs, *(numbers[name].ravel() for name in DANGER)]).astype(np.float64)


def fields(row: Any) -> dict[str, Numbers]:
    """The opposite of `flat`, rounded."""
    found, at = {name: np.zeros((2, *shape), np.int64) for name, shape in PAIRS.items()}, 0
    for half in (0, 1):
        for name, shape in PAIRS.items():
            size = int(np.prod(shape))
            found[name][half] = np.rint(row[at : at + size]).reshape(shape)
            at += size
    for name, shape in DANGER.items():
        size = int(np.prod(shape))
        found[name] = np.rint(row[at : at + size]).astype(np.int64).reshape(shape)
        at += size
    return found


def sample_of(states: Any, points: Any, numbers: dict[str, Numbers]) -> tuple[Sample, Any]:
    """What the fit needs at these weights, and the values of the positions."""
    counts, dangers, facts = coefficients(states, record_of(numbers))
    early, late = facts[:, 1:2], facts[:, 2:3]
    features = np.concatenate([counts * early, counts * late, dangers * early], axis=1)
    known = facts[:, 0].astype(np.float64)
    return Sample(
        features, known - values(Sample(features, np.zeros(len(known)), points), flat(numbers)), points
    ), known


def run_fit(given: argparse.Namespace) -> None:
    """Fit, tell the losses, write the file if asked."""
    states, points, searched, held = positions_of(given.file)
    numbers, scale, aims = read(NUMBERS), 0.0, points
    start = flat(numbers)
    spread = np.full(len(start), given.spread)
    for number in range(given.rounds + 1):
        sample, known = sample_of(states, points, numbers)
        if not scale:
            scale = best_scale(known[~held], points[~held])
            aims = given.results * points + (1 - given.results) * chances(searched, scale)
        told = [
            f"{loss(known[part], goals[part], scale):.5f}"
            for goals in (points, aims)
            for part in (~held, held)
        ]  # fmt: skip
        print(f"round {number}: {held.size} positions, scale {scale:.5f}; loss against results {told[0]}, held out")
        print(f"    {told[1]}; against what is fitted to {told[2]}, held out {told[3]}", flush=True)
        if number < given.rounds:
            part = Sample(sample.features[~held], sample.offset[~held], aims[~held])
            numbers = fields(fit(part, start, spread, scale))
    text = FRAME.format(write(numbers))
    if given.write:
        TARGET.write_text(text, "utf-8")
    if given.to:
        given.to.write_text(text, "utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description="Fit the weights of the chess evaluation to games of the engine.")
    commands = parser.add_subparsers(required=True)
    play = commands.add_parser("play", help="play games, or go on playing")
    add_arguments(play, RECIPE, 8000)
    fitting = commands.add_parser("fit", help="fit the weights to the games of a file")
    fitting.add_argument("file", type=Path)
    fitting.add_argument("--rounds", type=int, default=2, help="coefficients are taken anew for each")
    fitting.add_argument(
        "--spread", type=float, default=16.0, help="how far weights go from their start, in hundredths"
    )
    fitting.add_argument(
        "--results", type=float, default=0.2, help="share of results, not values, in what is fitted to"
    )
    fitting.add_argument("--write", action="store_true", help="write the weights of the players")
    fitting.add_argument("--to", type=Path, help="write the weights to this file")
    fitting.set_defaults(run=run_fit)
    run(parser, arguments)


if __name__ == "__main__":
    main()
