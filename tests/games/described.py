"""What the kernels say of positions, as lines for comparing processes: `python -m tests.games.described < QUESTIONS`.

A question is a line of JSON, [game, position text].
"""

# ruff: noqa: T201

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import numpy as np

from tabiya.games import steps
from tabiya.games.position import Position
from tabiya.games.registry import load_game

CHILDREN = 6  # moves that are played


def described(name: str, text: str) -> list[Any]:
    """All that the rules' kernels say of one position, and the bytes of the first positions after it."""
    game = load_game(name)
    position = game.parse(text)
    children = [position.play(move) for move in position.legal_moves()[:CHILDREN]]
    return [
        *(position.text(), position.legal_moves(), position.move_codes(), report(position)),
        [[child.text(), child.state.tobytes().hex(), report(child)] for child in children],
    ]


def report(position: Position) -> list[int]:
    """Outcome, seat to move, reach of repetitions and key as numbers; who can win; whether it is the same as itself."""
    game, state = position.game, position.state
    moves, numbers = np.zeros(game.max_moves, np.int32), np.zeros(steps.REPORT_FIELDS, np.int64)
    out = np.zeros(game.max_text + game.max_moves * (game.max_move_text + 1), np.uint8)
    key = int(steps.survey(game, state, moves, out, numbers))
    said = numbers[[steps.OUTCOME, steps.SEAT, steps.REPEATS]].tolist()
    wins = [int(steps.can_win(game, state, np.int64(seat))) for seat in (0, 1)]
    return [*said, key, *wins, int(steps.same(game, state, state))]


if __name__ == "__main__":
    warnings.simplefilter("ignore", RuntimeWarning)  # interpreted, uint64 overflows with a warning
    for line in sys.stdin:
        print(json.dumps(described(*json.loads(line))))
