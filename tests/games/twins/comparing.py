"""Playing kernel and twin side by side and comparing every position."""

from __future__ import annotations

import random
from types import ModuleType
from typing import Any

from tabiya.games.position import Position

CHILDREN_EVERY = 8  # in each eighth position all children are compared, in the others the one that is played


def compare_position(ours: Position, twin: ModuleType, theirs: Any) -> None:
    """Text, legal moves and outcome agree."""
    assert ours.text() == twin.text(theirs)
    assert sorted(ours.legal_moves()) == sorted(twin.legal_moves(theirs))
    outcome = ours.outcome()
    assert (outcome and (outcome.winner, outcome.ending)) == twin.outcome(theirs)


def compare_playout(ours: Position, twin: ModuleType, theirs: Any, draw: random.Random) -> int:
    """Play one random game on both to its end; return how many positions were compared."""
    compared = 0
    while True:
        compare_position(ours, twin, theirs)
        compared += 1
        moves = ours.legal_moves()
        if not moves:
            return compared
        if compared % CHILDREN_EVERY == 0:
            for move in moves[:20]:
                compare_position(ours.play(move), twin, twin.play(theirs, move))
                compared += 1
        move = draw.choice(moves)
        ours, theirs = ours.play(move), twin.play(theirs, move)
