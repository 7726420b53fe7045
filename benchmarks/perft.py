"""How fast the compiled rules count game trees, against plain Python in the same run.

python -m benchmarks.perft                # a table on the terminal
python -m benchmarks.perft --repeat 5     # more rounds; the fastest of them counts

Nodes are the leaves of perft; both sides count them the way each does best. The exit status is 1 when a ratio is below
what the project promises.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

from tabiya.games.perft import perft
from tabiya.games.registry import load_game
from tests.games.twins import python_chess
from tests.games.twins import reversi as naive_reversi


class Row(NamedTuple):
    """One comparison: a game and a position, who is compared with, what each counts, and the ratio that is promised."""

    game: str
    position: str  # its text, "" for the usual start
    depth: int
    reference: str
    count: Callable[[int], int]
    reference_depth: int
    promised: int


KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"  # every rule at once

ROWS = [
    Row("chess", "", 6, "python-chess", lambda depth: python_chess.perft(python_chess.START, depth), 4, 80),
    Row("chess", KIWIPETE, 5, "python-chess", lambda depth: python_chess.perft(KIWIPETE, depth), 3, 80),
    Row("reversi", "", 10, "naive twin", lambda depth: naive_reversi.perft(naive_reversi.start(), depth), 6, 30),
]


def rate(count: Callable[[int], int], depth: int, repeat: int) -> float:
    """Leaves a second at `depth`: the fastest of `repeat` rounds, after a first small one."""
    count(1)
    fastest, leaves = float("inf"), 0
    for _ in range(repeat):
        begun = time.perf_counter()
        leaves = count(depth)
        fastest = min(fastest, time.perf_counter() - begun)
    return leaves / fastest


def compare(row: Row, repeat: int) -> bool:
    """Print one line; whether the promise holds."""
    game = load_game(row.game)
    start = game.parse(row.position) if row.position else game.start()
    ours = rate(lambda depth: perft(start, depth), row.depth, repeat)
    theirs = rate(row.count, row.reference_depth, repeat)
    kept = ours >= row.promised * theirs
    print(
        f"{row.game:10} {ours / 1e6:10.1f} {row.reference:14} {theirs / 1e6:10.4f} {ours / theirs:9.0f} x "
        f"(promised {row.promised} x){'' if kept else '  TOO SLOW'}"
    )
    return kept


def main() -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description="Measure perft.")
    parser.add_argument("--repeat", type=int, default=3, help="rounds; the fastest counts (default 3)")
    repeat = parser.parse_args().repeat
    print(f"{'game':10} {'Mnodes/s':>10} {'reference':14} {'Mnodes/s':>10} {'ratio':>9}")
    kept = [compare(row, repeat) for row in ROWS]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
