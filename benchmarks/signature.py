"""The nodes that the playing engine visits, as one number: whether a change has changed what it searches.

    tabiya bench signature [--games chess] [--deeper 3] [--write] [--format table|json]

Every third of benchmarks/positions.json, each searched by one thread to a fixed depth with nothing remembered: the
same sources visit the same number of nodes on every machine, however busy. That number is pinned in
benchmarks/signature.json; a game that visits another ends the command with status 1. After a change of search, rules or
evaluation that was meant, --write pins the present numbers. --deeper searches so many plies deeper, to compare machines
and the speed of two versions: nodes a second of the processor, and the time to the depth. A node is one position
visited, quiescence included.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from benchmarks.common import parser, print_rows
from benchmarks.positions import kept
from tabiya.bots.engine.engine import Engine
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.search.limits import DEEPEST
from tabiya.games.position import Position
from tabiya.games.registry import load_game

PINNED = Path(__file__).with_name("signature.json")
TABLE_MB = 1.0
COLUMNS = {
    "game": ("game", "<12"),
    "depth": ("depth", ">5"),
    "nodes": ("nodes", ">12,"),
    "seconds": ("s", ">8.2f"),
    "million_nodes_per_cpu_s": ("Mnodes/cpu s", ">13.2f"),
}
EVERY_THIRD = slice(1, None, 3)  # few and deep: some features begin at a depth of ten
MOST_NODES = 250_000  # of a game that is pinned for the first time: its depth is the greatest that needs no more


class Signature(NamedTuple):
    """All nodes of a game's positions to this depth."""

    depth: int
    nodes: int


@dataclass(frozen=True)
class Row:
    """One game. pinned: its nodes to this depth in the file, None where it has none. seconds: by the clock."""

    game: str
    depth: int
    nodes: int
    pinned: int | None
    seconds: float
    million_nodes_per_cpu_s: float

    @property
    def differs(self) -> bool:
        """Whether another number is pinned."""
        return self.pinned not in (None, self.nodes)

    @property
    def remark(self) -> str:
        """The pinned number where it is another."""
        return f"   pinned: {self.pinned:,}" if self.differs else ""


def pinned() -> dict[str, Signature]:
    """What the file says, by game."""
    found = json.loads(PINNED.read_text("utf-8")) if PINNED.exists() else {}
    return {game: Signature(**numbers) for game, numbers in found.items()}


def ready(game: str) -> Engine:
    """The playing engine, compiled or loaded."""
    engine = Engine(evaluator_for(load_game(game)), table_mb=TABLE_MB)
    engine.warm(load_game(game).start())
    return engine


def nodes_of(engine: Engine, positions: Sequence[Position], depth: int) -> int:
    """Of all positions together; each search starts from nothing."""
    return sum(engine.search(position, depth=depth).nodes for position in positions)


def measure(game: str, known: Mapping[str, Signature], deeper: int = 0) -> Row:
    """One row: to the depth of the file, or as deep as the most nodes allow, and `deeper` plies more."""
    engine, positions = ready(game), kept(game)[EVERY_THIRD]
    depth = (known[game].depth if game in known else affordable(engine, positions)) + deeper
    started_s, cpu_s = time.perf_counter(), time.process_time()
    nodes = nodes_of(engine, positions, depth)
    seconds, cpu_s = time.perf_counter() - started_s, time.process_time() - cpu_s
    number = known[game].nodes if game in known and not deeper else None
    return Row(game, depth, nodes, number, round(seconds, 3), round(nodes / max(cpu_s, 1e-9) / 1e6, 2))


def affordable(engine: Engine, positions: Sequence[Position]) -> int:
    """The greatest depth that needs no more than the most nodes, and more than the depth before it."""
    depth, last = 1, nodes_of(engine, positions, 1)
    while depth < DEEPEST and last < (nodes := nodes_of(engine, positions, depth + 1)) <= MOST_NODES:
        depth, last = depth + 1, nodes
    return depth


def pin(rows: Sequence[Row]) -> None:
    """Write these into the file; other games stay as they are there."""
    signatures = pinned() | {row.game: Signature(row.depth, row.nodes) for row in rows}
    texts = {game: signature._asdict() for game, signature in signatures.items()}
    PINNED.write_text(json.dumps(texts, indent=1) + "\n", encoding="utf-8")


def command_line() -> argparse.ArgumentParser:
    """The command line."""
    found = parser("the nodes that the playing engine visits, as one number", games=True)
    found.add_argument("--deeper", type=int, default=0, help="plies more than is pinned, to measure speed")
    found.add_argument("--write", action="store_true", help="pin what is found")
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Search, print, and write if asked to; status 1 where a game differs from what is pinned."""
    given = command_line().parse_args(arguments)
    if given.write and given.deeper:
        sys.exit("what is pinned are the depths of the file: --write goes without --deeper")
    known = pinned()
    measured = (measure(game, known, given.deeper) for game in given.games.split(","))
    rows = print_rows(measured, COLUMNS, given.format, lambda row: "" if given.write else row.remark)
    if given.format == "table":
        print(f"signature {sum(row.nodes for row in rows)}")
    if given.write:
        pin(rows)
    elif any(row.differs for row in rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
