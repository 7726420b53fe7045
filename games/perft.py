"""perft: counting the leaves of the game tree, the standard check of a move generator."""

from __future__ import annotations

import numpy as np

from tabiya.games import steps
from tabiya.games.position import Position

DEEPEST = 40


def perft(position: Position, depth: int) -> int:
    """Leaves `depth` plies below `position`. Repetition and move counters are ignored.

    depth: 0..40; 0 counts the position itself.  Raises ValueError for other depths.
    """
    if not 0 <= depth <= DEEPEST:
        raise ValueError(f"perft counts 0 to {DEEPEST} plies deep, not {depth}")
    if depth == 0:
        return 1
    game = position.game
    stack = np.zeros(depth + 1, game.state).view(np.recarray)
    stack[0] = position.state
    moves = np.zeros((depth + 1, game.max_moves), np.int32)
    return int(steps.perft(game, stack, moves, np.int64(depth), np.int64(0)))


def divide(position: Position, depth: int) -> dict[str, int]:
    """The leaves below each legal move, by the move's text, in the kernel's order; depth >= 1."""
    if depth < 1:
        raise ValueError(f"divide needs a depth of at least 1, not {depth}")
    return {move: perft(position.play(move), depth - 1) for move in position.legal_moves()}
