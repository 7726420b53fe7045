"""Compiled and interpreted rules are the same rules: a second process runs them without the compiler."""

from __future__ import annotations

import json

import pytest

from tests.games.chess.walks import CHESS, positions
from tests.processes import python

COUNT, SEED = 200, 99
DESCRIBE = """
import json, sys
import numpy as np
from games.registry import load_game
np.seterr(over="ignore")
game = load_game("chess")
for line in sys.stdin:
    fen, move = json.loads(line)
    position = game.parse(fen)
    after = position.play(move) if move else position
    children = [position.legal_moves(), after.text(), after.outcome(), after.legal_moves(), hex(int(after.state.hash))]
    print(json.dumps([children, [position.can_win(0), position.can_win(1)]]))
"""


def interpreted(cases: list[tuple[str, str]]) -> list[object]:
    """What a process without the compiler says of each (FEN, move)."""
    said = python("-c", DESCRIBE, said="\n".join(map(json.dumps, cases)), NUMBA_DISABLE_JIT="1")
    return [json.loads(line) for line in said.splitlines()]


def compiled(fen: str, move: str) -> object:
    """The same from this process."""
    position = CHESS.parse(fen)
    after = position.play(move) if move else position
    children = [position.legal_moves(), after.text(), after.outcome(), after.legal_moves(), hex(int(after.state.hash))]
    return json.loads(json.dumps([children, [position.can_win(0), position.can_win(1)]]))


@pytest.mark.slow
def test_the_interpreted_rules_say_the_same_of_200_positions() -> None:
    cases = [(position.text(), move) for position, _, move in positions(COUNT, SEED)]
    assert interpreted(cases) == [compiled(*case) for case in cases], f"seed {SEED}"
