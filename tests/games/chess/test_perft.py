"""Published numbers of leaves, to depths of at most 200 million nodes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tabiya.games.perft import divide, perft
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


@pytest.mark.parametrize("line", SUITE, ids=lambda line: line["fen"])
def test_the_first_depths_hold(line: dict[str, list[int] | str]) -> None:
    position = CHESS.parse(str(line["fen"]))
    assert [perft(position, depth) for depth in range(4)] == list(line["nodes"])[:4]


def test_the_leaves_below_each_move_add_up() -> None:
    below = divide(CHESS.start(), 4)
    assert len(below) == 20
    assert sum(below.values()) == 197_281
