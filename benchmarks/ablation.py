"""What each switch of the playing engine is worth: nodes to a fixed depth, and Elo at equal nodes a move.

    tabiya bench ablation [--game chess] [--switches null_move,killers] [--depth 9] [--positions 8]
                                  [--pairs 50] [--nodes 3000] [--seed 1] [--format table|json]
                                  [--keep docs/measurements/ablation.json]

For every switch the engine plays against itself without that switch (and without what needs it), in pairs of games
from random openings with seats changed. Both sides get the same number of nodes for each move, not time, so that other
load on the machine changes nothing and the same seed gives the same games. Elo is of the full engine against the one
without, with its 95 % interval from the pairs. nodes: how many times as many nodes the engine without the switch needs
to the given depth, the geometric mean over the positions; unsound switches change what a depth means.
--keep: the rows are kept in this file with their command, beside those of other games and switches; `make docs` makes
docs/explanation/techniques.md of them.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.common import parser, print_rows
from benchmarks.duel import duel, openings
from tabiya.bots.engine.engine import Engine
from tabiya.bots.engine.options import ENGINE, NAMES, Options
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.games.position import Position
from tabiya.games.registry import PGN_GAME, load_game, names

COLUMNS = {
    "switch": ("switch", "<20"),
    "nodes": ("nodes", ">7.2f"),
    "elo": ("Elo", ">8.1f"),
    "plus_minus": ("+-", ">7.1f"),  # behind it the pairs by points, 0 to 2
}
NEEDED = {"priorities": ("late_reductions", "late_pruning")}  # a switch, and those that mean nothing without it


@dataclass(frozen=True)
class Row:
    """One switch. nodes: how many times as many without it.  elo, plus_minus: what it is worth; None: no bound."""

    switch: str
    nodes: float
    elo: float
    plus_minus: float | None
    pairs: tuple[int, ...]


def without(switch: str) -> Options:
    """The playing engine with this switch turned over, and what needs it turned off."""
    return replace(ENGINE, **{switch: not getattr(ENGINE, switch)}, **dict.fromkeys(NEEDED.get(switch, ()), False))


def nodes_ratio(one: Engine, other: Engine, positions: Sequence[Position], depth: int) -> float:
    """How many times as many nodes `other` needs to the depth, the geometric mean."""
    logs = [
        math.log(other.search(position, depth=depth).nodes / one.search(position, depth=depth).nodes)
        for position in positions
    ]
    return math.exp(sum(logs) / len(logs))


def measure(game: str, switches: Sequence[str], given: argparse.Namespace) -> Iterator[Row]:
    """One row for each switch, as it is found."""
    evaluator = evaluator_for(load_game(game))
    full = Engine(evaluator)
    starts = openings(game, given.pairs, given.seed)
    deep = openings(game, given.positions, given.seed + 1)
    for switch in switches:
        other = Engine(evaluator, without(switch))
        ratio = nodes_ratio(full, other, deep, given.depth) if deep else 1.0
        *_, pairs = duel(full, other, starts, given.nodes)
        half = pairs.elo_plus_minus
        yield Row(switch, round(ratio, 2), round(pairs.elo, 1), None if half is None else round(half, 1), pairs.counts)


def command_line() -> argparse.ArgumentParser:
    """The command line."""
    found = parser("what each switch of the playing engine is worth")
    found.add_argument("--game", choices=names(), default=PGN_GAME)
    found.add_argument("--switches", default=",".join(NAMES), help="separated by commas; all by default")
    found.add_argument("--depth", type=int, default=9)
    found.add_argument("--positions", type=int, default=8, help="for the nodes to that depth")
    found.add_argument("--pairs", type=int, default=50)
    found.add_argument("--nodes", type=int, default=3000, help="for each move")
    found.add_argument("--seed", type=int, default=1)
    found.add_argument("--keep", type=Path, help="a file for the rows, from which a page is made")
    return found


def keep(path: Path, given: argparse.Namespace, rows: Sequence[Row]) -> None:
    """Put the rows into the file in place of earlier ones of the same game and switch."""
    kept = json.loads(path.read_text("utf-8")) if path.exists() else {}
    asked = {name: getattr(given, name) for name in ("depth", "positions", "pairs", "nodes", "seed")}
    kept.setdefault(given.game, {}).update({row.switch: asdict(row) | {"asked": asked} for row in rows})
    path.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print, a row as soon as it is known."""
    given = command_line().parse_args(arguments)
    switches = given.switches.split(",")
    if unknown := [switch for switch in switches if switch not in NAMES]:
        sys.exit(f"the engine has no switch {unknown[0]!r} (it has: {', '.join(NAMES)})")
    rows = print_rows(measure(given.game, switches, given), COLUMNS, given.format, lambda row: f"  {row.pairs}")
    if given.keep:
        keep(given.keep, given, rows)


if __name__ == "__main__":
    main()
