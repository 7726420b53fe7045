"""Nodes a second and depth in one second of each algorithm in each game.

    python -m benchmarks.search [--seconds 1] [--positions 3] [--games reversi,chess] [--format table|json]

A node is one position visited, quiescence included. Positions: the start and random openings, fixed by their seed. The
search is compiled, or loaded from the cache, before any time is taken.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.common import parser, print_rows
from tabiya.bots.engine.engine import Engine
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.search.limits import DEEPEST, SearchResult
from tabiya.bots.textbook.board import LeafEvaluator
from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.compiled.searcher import CompiledListing
from tabiya.bots.textbook.run_listing import Report, SearchSetup
from tabiya.games.openings import opening
from tabiya.games.position import Position
from tabiya.games.registry import load_game

ENGINE = "pvs"
ALGORITHMS = ("minimax", "alphabeta-failsoft", ENGINE)


@dataclass(frozen=True)
class Row:
    """Medians over the positions. start_s: from making the searcher to its first answer, cache as it was found."""

    game: str
    algorithm: str
    million_nodes_per_s: float
    depth: float
    start_s: float


def positions(game: str, count: int) -> list[Position]:
    """The start position and random openings."""
    loaded = load_game(game)
    return [loaded.start(), *(opening(loaded, seed).position(loaded) for seed in range(1, count))]


def searcher(game: str, algorithm: str) -> Callable[[Position, float], SearchResult | Report]:
    """A search of positions for so many seconds, ready."""
    rules = load_game(game)
    evaluator = evaluator_for(rules)
    if algorithm == ENGINE:
        engine = Engine(evaluator)
        engine.warm(rules.start())
        return lambda position, seconds: engine.search(position, time_s=seconds)
    twin = CompiledListing(find(algorithm), LeafEvaluator(evaluator, near=True), SearchSetup(iterate=True))
    twin.search(rules.start(), 1)
    return lambda position, seconds: twin.search(position, DEEPEST, time_s=seconds)


def measure(game: str, algorithm: str, seconds: float, count: int) -> Row:
    """One row."""
    started = time.perf_counter()
    search = searcher(game, algorithm)
    start_s = time.perf_counter() - started
    found = [search(position, seconds) for position in positions(game, count)]
    speeds = [result.nodes / result.time_s / 1e6 for result in found]
    depths = [result.depth for result in found]
    return Row(game, algorithm, round(statistics.median(speeds), 2), statistics.median(depths), round(start_s, 2))


def main() -> None:
    command_line = parser("nodes a second and depth in a given time, by game and algorithm", games=True)
    command_line.add_argument("--seconds", type=float, default=1.0)
    command_line.add_argument("--positions", type=int, default=3)
    given = command_line.parse_args()
    columns = {
        "game": ("game", "<12"),
        "algorithm": ("algorithm", "<18"),
        "million_nodes_per_s": ("Mnodes/s", ">9.2f"),
        "depth": (f"depth in {given.seconds:g} s", ">14g"),
        "start_s": ("start s", ">8.2f"),
    }
    rows = (
        measure(game, algorithm, given.seconds, given.positions)
        for game in given.games.split(",")
        for algorithm in ALGORITHMS
    )
    print_rows(rows, columns, given.format)


if __name__ == "__main__":
    main()
