"""Endgames of reversi solved exactly: the FFO positions 40 and up, one thread, empty table before each.

    tabiya bench endgames [--positions 40,41,42,43,44] [--table-mb 16] [--format table|json]

For each: the result found and the published one (docs/sources.md), the nodes (one node is one move made) and the
processor time until it is known who wins and until the result is exact. Other load on the machine changes processor
time less than the time on the wall; the nodes it does not change at all. Ends with status 1 when a result is wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.common import parser, print_rows
from tabiya.bots.search.scores import WON
from tabiya.bots.solvers.reversi.solver import TABLE_MB, Solver
from tabiya.games.position import Position
from tabiya.games.registry import load_game

PUBLISHED = Path(__file__).with_name("ffo_endgames_40_59.obf")
FIRST = 40
GAME = "reversi"
COLUMNS = {
    "number": ("position", ">8"),
    "empty": ("empty", ">5"),
    "published": ("published", ">+9"),
    "found": ("found", ">+5"),
    "move": ("move", ">4"),
    "nodes": ("nodes", ">13,"),
    "seconds": ("CPU s", ">7.2f"),
    "million_nodes_per_s": ("Mn/s", ">5.1f"),
}


@dataclass(frozen=True)
class Endgame:
    """A position with the published results of its moves, in discs for the side to move."""

    number: int
    position: Position
    results: dict[str, int]

    @property
    def best(self) -> int:
        """The result of best play."""
        return max(self.results.values())


@dataclass(frozen=True)
class Row:
    """What solving one position took."""

    number: int
    empty: int
    published: int
    found: int
    move: str
    right: bool
    nodes: int
    seconds: float
    million_nodes_per_s: float


def endgames() -> dict[int, Endgame]:
    """The published positions by number."""
    found = {}
    for number, line in enumerate(PUBLISHED.read_text("ascii").splitlines(), FIRST):
        text, *moves = line.split(";")
        results = dict(move.strip().lower().split(":") for move in moves if ":" in move)
        position = load_game(GAME).parse(text.strip())
        found[number] = Endgame(number, position, {move: int(result) for move, result in results.items()})
    return found


def measure(endgame: Endgame, solver: Solver) -> Row:
    """Solve it."""
    solver.forget()
    started = time.process_time()
    found = solver.search(endgame.position)
    seconds = time.process_time() - started
    result = 0 if found.value == 0 else abs(found.value) - int(WON)
    result = -result if found.value < 0 else result
    return Row(
        number=endgame.number,
        empty=endgame.position.text().count("-"),
        published=endgame.best,
        found=result,
        move=found.move,
        right=found.exact and result == endgame.best == endgame.results.get(found.move),
        nodes=found.nodes,
        seconds=round(seconds, 2),
        million_nodes_per_s=round(found.nodes / max(seconds, 1e-6) / 1e6, 1),
    )


def command_line() -> argparse.ArgumentParser:
    """The command line."""
    found = parser("endgames of reversi solved exactly")
    found.add_argument("--positions", default="40,41,42,43,44", help="numbers 40 to 59, separated by commas")
    found.add_argument("--table-mb", type=float, default=TABLE_MB)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print, a row as soon as it is known."""
    given = command_line().parse_args(arguments)
    known = endgames()
    numbers = given.positions.split(",")
    if unknown := [number for number in numbers if not number.isdigit() or int(number) not in known]:
        sys.exit(f"there is no position {unknown[0]!r} (there are {min(known)} to {max(known)})")
    solver = Solver(given.table_mb)
    solver.warm(load_game(GAME).start())
    measured = (measure(known[int(number)], solver) for number in numbers)
    rows = print_rows(measured, COLUMNS, given.format, lambda row: "" if row.right else "  WRONG")
    if given.format == "table":
        print(f"together {sum(row.nodes for row in rows):,} nodes in {sum(row.seconds for row in rows):.2f} s")
    if not all(row.right for row in rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
