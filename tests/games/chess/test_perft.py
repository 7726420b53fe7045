"""Published numbers of leaves, to depths of at most 200 million nodes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tabiya.games.perft import perft
from tests.games.chess.walks import CHESS

SUITE = json.loads((Path(__file__).parent / "data" / "perft.json").read_text("utf-8"))["positions"]
MOST = 200_000_000
QUICK = 5_000_000


def cases() -> list[object]:
    """(FEN, depth, leaves) of each suite position at its deepest quick depth and at its deepest of all, marked slow."""
    found: list[object] = []
    for line in SUITE:
        nodes = line["nodes"]
        quick = max(depth for depth, leaves in enumerate(nodes) if leaves <= QUICK)
        deepest = max(depth for depth, leaves in enumerate(nodes) if leaves <= MOST)
        found.append((line["fen"], quick, nodes[quick]))
        if deepest > quick:
            found.append(pytest.param(line["fen"], deepest, nodes[deepest], marks=pytest.mark.slow))
    return found


@pytest.mark.parametrize(("fen", "depth", "leaves"), cases())
def test_the_published_number_of_leaves_holds(fen: str, depth: int, leaves: int) -> None:
    assert perft(CHESS.parse(fen), depth) == leaves
