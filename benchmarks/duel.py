"""Which of two evaluations plays better: the engine with one against the engine with the other, in pairs of games.

    tabiya bench duel [--game chess] [--first EVALUATOR] [--second EVALUATOR] [--pairs 100] [--nodes 3000 | --time 0.05]
                      [--seed 1] [--sprt 0,10] [--format table|json]

An EVALUATOR is a class that derives from the game's player, as MODULE:CLASS (such as
`tabiya.bots.textbook.evaluations.chess:BookEvaluator`) or FILE.py:CLASS, with values of its parameters if wanted
(FILE.py:CLASS?corner=200); without one it is the game's own.
From every random opening two games are played with seats changed. At equal nodes a move the same seed gives the same
games on any machine, and the speed of an evaluation does not count; at equal time (seconds of the clock; both sides
feel other load alike) it does. Printed every ten pairs: the Elo difference of the first, its 95 % interval, the pairs
by points. --sprt ends the duel as soon as a sequential test between these two differences (normalised Elo) has decided.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Sequence

from benchmarks.common import parser
from scripts.evaluators import load_evaluator
from scripts.self_play import Chooser, outcome_of, played
from tabiya.bots.engine.engine import Engine
from tabiya.games.openings import opening
from tabiya.games.position import Position
from tabiya.games.registry import PGN_GAME, load_game, names
from tabiya.server.ratings.pairs import Pairs
from tabiya.server.ratings.sprt import Sprt

POINTS = {None: 0.5, 0: 1.0, 1: 0.0}  # of seat 0, by the winner
TOLD_EVERY = 10


def play(first: Engine, second: Engine, position: Position, nodes: int | None, time_s: float | None = None) -> float:
    """The points of `first`, which moves first, in one game from `position`; 0, 0.5 or 1. nodes, time_s: a move."""

    def choosing(engine: Engine) -> Chooser:
        engine.forget()
        return lambda at: engine.search(at, nodes=nodes, time_s=time_s, remember=True).move

    choosers, mover = (choosing(first), choosing(second)), position.to_move
    points = POINTS[outcome_of(played(position, *(choosers if mover == 0 else choosers[::-1]))).winner]
    return points if mover == 0 else 1 - points


def duel(
    one: Engine, other: Engine, positions: Sequence[Position], nodes: int | None, time_s: float | None = None
) -> Iterator[Pairs]:
    """After each pair yield all pairs so far: from every position two games, each evaluation moving first once."""
    pairs = Pairs()
    for position in positions:
        pairs = pairs.plus(play(one, other, position, nodes, time_s), 1 - play(other, one, position, nodes, time_s))
        yield pairs


def openings(game: str, count: int, seed: int) -> list[Position]:
    """Random openings, fixed by their seed."""
    loaded = load_game(game)
    return [opening(loaded, 1_000_003 * seed + number).position(loaded) for number in range(count)]


def read_sprt(text: str) -> Sprt:
    """The sequential test between two differences, `0,10`. Raises argparse.ArgumentTypeError in one sentence."""
    low, comma, high = text.partition(",")
    try:
        return Sprt(float(low), float(high))
    except ValueError as error:
        text = str(error) if comma and "convert" not in str(error) else f"two numbers, as 0,10, not {text!r}"
        raise argparse.ArgumentTypeError(text) from None


def result_line(pairs: Pairs) -> str:
    """The result so far in one line."""
    half = pairs.elo_plus_minus
    bound = "open" if half is None else f"{half:.1f}"
    return f"{pairs.number:>6} pairs  Elo {pairs.elo:>7.1f} +- {bound:<6} LOS {pairs.superiority:.3f}  {pairs.counts}"


def command_line() -> argparse.ArgumentParser:
    """The command line."""
    found = parser("which of two evaluations plays better")
    found.add_argument("--game", choices=names(), default=PGN_GAME)
    found.add_argument(
        "--first", default="", help="MODULE:CLASS or FILE.py:CLASS?NAME=VALUE; the game's own by default"
    )
    found.add_argument("--second", default="", help="the same")
    found.add_argument("--pairs", type=int, default=100)
    limit = found.add_mutually_exclusive_group()
    limit.add_argument("--nodes", type=int, default=3000, help="for each move")
    limit.add_argument("--time", type=float, default=None, help="seconds for each move, in place of nodes")
    found.add_argument("--seed", type=int, default=1)
    found.add_argument("--sprt", type=read_sprt, help="two differences, as 0,10: end as soon as the test has decided")
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Play and print."""
    given = command_line().parse_args(arguments)
    game = load_game(given.game)
    try:
        first, second = (Engine(load_evaluator(game, text)) for text in (given.first, given.second))
    except ValueError as error:
        sys.exit(str(error))
    test: Sprt | None = given.sprt
    pairs = Pairs()
    nodes = given.nodes if given.time is None else None
    for engine in (first, second):
        engine.warm(game.start())
    for pairs in duel(first, second, openings(given.game, given.pairs, given.seed), nodes, given.time):
        if given.format == "table" and (pairs.number % TOLD_EVERY == 0 or pairs.number == given.pairs):
            print(result_line(pairs), flush=True)
        if test is not None and test.verdict(pairs) != "go on":
            print(f"{result_line(pairs)}  {test.verdict(pairs)}", file=sys.stderr)
            break
    if given.format == "json":
        low, high = pairs.elo_interval
        interval = [bound if math.isfinite(bound) else None for bound in (low, high)]
        json.dump({"pairs": pairs.counts, "elo": pairs.elo, "interval": interval}, sys.stdout)


if __name__ == "__main__":
    main()
