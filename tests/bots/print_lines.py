"""Prints what every search finds, for comparing processes: `python -m tests.bots.print_lines DEEPER GAME...`.

DEEPER is added to the depth of the engine, which by itself is what an interpreter can bear. The last line is the
number of functions that were compiled in this process.
"""

# ruff: noqa: T201

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

import numpy as np

from tabiya.bots.engine.engine import Engine
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.textbook.board import LeafEvaluator
from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.compiled.searcher import CompiledListing
from tabiya.games.openings import opening
from tabiya.games.registry import load_game

SMALLER = {"connect5": {"columns": 6, "rows": 6}}  # the same code; interpreted, 15x15 takes half a minute
LISTINGS = ("minimax", "alphabeta-failsoft")
DEPTHS = {"chess": 4, "reversi": 4}


def lines(name: str, deeper: int = 0, plain: Iterable[str] = LISTINGS) -> Iterator[str]:
    """Move, value, nodes and principal variation of each search from two openings, the engine's second with memory."""
    game = load_game(name)
    for seed in range(2):
        position = opening(game, seed, SMALLER.get(name)).position(game)
        engine = Engine(evaluator_for(game), table_mb=0.01)
        for remember in (False, True):
            found = engine.search(position, depth=DEPTHS.get(name, 2) + deeper, remember=remember)
            yield " ".join(map(str, (name, "engine", found.move, found.value, found.nodes, *found.pv)))
        for listing in plain:
            report = CompiledListing(find(listing), LeafEvaluator(evaluator_for(game), near=True)).search(
                position, 2, seed=1
            )
            yield " ".join(map(str, (name, listing, report.move, report.value, report.nodes, *report.line)))


def main(deeper: int, wanted: list[str]) -> None:
    """Print the lines and count what was compiled."""
    from numba.core import event

    with event.install_recorder("numba:compile") as recorder, np.errstate(all="ignore"):
        for name in wanted:
            print(*lines(name, deeper), sep="\n")
    print("compiled", sum(entry.is_start for _, entry in recorder.buffer))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
