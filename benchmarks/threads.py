"""How much sooner several threads on one table are as deep as one thread, and how many more nodes they visit.

    tabiya bench threads [--game chess] [--threads 2] [--positions 20] [--depth 14] [--seeds 1,2,3] [--table-mb 16]
                         [--format table|json]

Positions from the middle of games of the engine with itself, other games for every seed. In each, one thread and
several take turns to search to the same depth, with nothing remembered (a depth that one thread has reached with so
many nodes would favour it: what it happened to finish cheaply); then as many engines of one thread do so at once that
share nothing. Where the engine sees how the game ends, nothing is counted. One row for each seed and one for all
together: `speed` is the total time of one thread by that of several, `nodes` the total nodes a second of several by
those of one, `apart` the same for those that share nothing: what the machine gives; mean (geometric, with its 95 %
interval) and medians are of the positions, each counted alike, where in a total the longest decide.
What several threads visit depends on chance, so seeds differ. A machine with other work measures that work.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

from benchmarks.common import parser, print_rows
from benchmarks.positions import MIDDLE, played
from tabiya.bots.engine.engine import TABLE_MB, Engine
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.search.limits import SearchResult
from tabiya.bots.search.scores import WON
from tabiya.games.position import Position
from tabiya.games.registry import PGN_GAME, load_game, names


class Compared(NamedTuple):
    """One position searched to the same depth by one thread, by several, and by several that share nothing."""

    one: SearchResult
    several: SearchResult
    apart: SearchResult

    @property
    def speed(self) -> float:
        """How many times as fast several were."""
        return self.one.time_s / self.several.time_s

    @property
    def nodes(self) -> float:
        """How many times as many nodes a second they visited."""
        return speed_of(self.several) / speed_of(self.one)


COLUMNS = {
    "seed": ("seed", "<5"),
    "positions": ("positions", ">9"),
    "depth": ("depth", ">6g"),
    "seconds": ("s", ">7.2f"),
    "speed": ("speed", ">6.2f"),
    "mean_speed": ("mean", ">6.2f"),
    "interval": ("+-", ">5.2f"),
    "median_speed": ("median", ">7.2f"),
    "nodes": ("nodes", ">6.2f"),
    "median_nodes": ("median", ">7.2f"),
    "apart": ("apart", ">6.2f"),
}


@dataclass(frozen=True)
class Row:
    """One seed, or all. speed, nodes, apart: totals of several against those of one.  seconds: of one thread.

    mean_speed: geometric, give or take `interval` (None of one position), 95 %.
    """

    seed: str
    positions: int
    depth: float
    seconds: float
    speed: float
    mean_speed: float
    interval: float | None
    median_speed: float
    nodes: float
    median_nodes: float
    apart: float


def speed_of(found: SearchResult) -> float:
    """Nodes a second."""
    return found.nodes / found.time_s


def compare(
    one: Engine, several: Engine, strangers: Sequence[Engine], position: Position, depth: int, first: bool
) -> Compared | None:
    """All three to this depth; None where one of them finds a forced end. first: whether `one` begins."""
    order = (one, several) if first else (several, one)
    found = [engine.search(position, depth=depth) for engine in order]
    if any(each.exact or abs(each.value) > WON for each in found):
        return None
    one_found, several_found = found if first else reversed(found)
    return Compared(one_found, several_found, at_once(strangers, position, depth))


def at_once(strangers: Sequence[Engine], position: Position, depth: int) -> SearchResult:
    """The last one's result when all search at the same time, with the nodes of all."""
    with ThreadPoolExecutor(len(strangers)) as pool:
        found = list(pool.map(lambda engine: engine.search(position, depth=depth), strangers))
    last: SearchResult = max(found, key=lambda each: each.time_s)
    return last._replace(nodes=sum(each.nodes for each in found))


def mean_of(ratios: Sequence[float]) -> tuple[float, float | None]:
    """Their geometric mean, and the half-width of its 95 % interval; None for a single ratio."""
    logarithms = [math.log(ratio) for ratio in ratios]
    mean = math.exp(statistics.mean(logarithms))
    if len(ratios) < 2:
        return mean, None
    return mean, mean * 1.96 * statistics.stdev(logarithms) / math.sqrt(len(ratios))


def row(seed: str, compared: Sequence[Compared]) -> Row:
    """Totals and medians."""
    one, several, apart = ([found[i] for found in compared] for i in range(3))
    one_s, several_s, apart_s = (sum(found.time_s for found in side) for side in (one, several, apart))
    one_nodes, several_nodes, apart_nodes = (sum(found.nodes for found in side) for side in (one, several, apart))
    mean, interval = mean_of([pair.speed for pair in compared])
    return Row(
        seed=seed,
        positions=len(compared),
        depth=statistics.median(found.depth for found in one),
        seconds=round(one_s, 2),
        speed=round(one_s / several_s, 2),
        mean_speed=round(mean, 2),
        interval=None if interval is None else round(interval, 2),
        median_speed=round(statistics.median(pair.speed for pair in compared), 2),
        nodes=round(several_nodes / several_s / (one_nodes / one_s), 2),
        median_nodes=round(statistics.median(pair.nodes for pair in compared), 2),
        apart=round(apart_nodes / apart_s / (one_nodes / one_s), 2),
    )


def command_line() -> argparse.ArgumentParser:
    """The command line."""
    found = parser("how much sooner several threads are as deep as one")
    found.add_argument("--game", choices=names(), default=PGN_GAME)
    found.add_argument("--threads", type=int, default=2)
    found.add_argument("--positions", type=int, default=20, help="for each seed")
    found.add_argument("--depth", type=int, default=14, help="plies")
    found.add_argument("--seeds", default="1,2,3", help="of the positions, separated by commas")
    found.add_argument("--table-mb", type=float, default=TABLE_MB)
    return found


def measure(given: argparse.Namespace) -> list[Row]:
    """A row for each seed and one for all."""
    evaluator = evaluator_for(load_game(given.game))
    one, several = (Engine(evaluator, table_mb=given.table_mb, threads=threads) for threads in (1, given.threads))
    strangers = [Engine(evaluator, table_mb=given.table_mb) for _ in range(given.threads)]
    everything, rows = list[Compared](), list[Row]()
    for seed in given.seeds.split(","):
        positions = played(given.game, given.positions, int(seed), between=MIDDLE)
        tried = [compare(one, several, strangers, at, given.depth, i % 2 == 0) for i, at in enumerate(positions)]
        compared = [found for found in tried if found is not None]
        everything += compared
        rows += [row(seed, compared)] if compared else []
    return [*rows, row("all", everything)] if everything else []


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    given = command_line().parse_args(arguments)
    rows = measure(given)
    if not rows:
        sys.exit("in none of these positions the end is open: more --positions, less --depth")
    print_rows(rows, COLUMNS, given.format)


if __name__ == "__main__":
    main()
