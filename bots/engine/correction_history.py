"""Correction history: the evaluation's average error in positions with the same `correction_key` (pawn structure)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.engine.state import CORRECTION_KEYS
from tabiya.bots.engine.transposition_table import LOWER, UNKNOWN, UPPER
from tabiya.bots.search.scores import WON
from tabiya.games.compiled.bits import ZERO, U
from tabiya.games.compiled.jit import njit

MOST_ERROR, MOST_STEP = 1_024, 256  # in sixteenths of a hundredth: 64 hundredths at most
SIXTEENTHS, DEPTH_SHARE = 16, 8
LAST_KEY = U(CORRECTION_KEYS - 1)


@njit
def corrected(game: Any, state: Any, work: Any, evaluation: Any) -> Any:
    """`evaluation`, not UNKNOWN, less the error that it had where the key was the same."""
    if work.corrections == 0:
        return evaluation
    key = game.correction_key(state)
    if key == ZERO:
        return evaluation
    error = np.int64(work.errors[np.int64(game.to_move(state)), np.int64(key & LAST_KEY)])
    return max(-WON + 1, min(evaluation + error // SIXTEENTHS, WON - 1))


@njit
def note_error(game: Any, state: Any, work: Any, depth: Any, evaluation: Any, value: Any, bound: Any) -> None:
    """Learn from a node that was searched: its corrected evaluation, and the value found or what bounds it."""
    if work.corrections == 0 or evaluation == UNKNOWN or abs(value) >= WON:
        return
    if (bound == LOWER and value <= evaluation) or (bound == UPPER and value >= evaluation):
        return  # which says nothing of the error
    key = game.correction_key(state)
    if key == ZERO:
        return
    seat, place = np.int64(game.to_move(state)), np.int64(key & LAST_KEY)
    step = np.int64(max(-MOST_STEP, min((value - evaluation) * depth // DEPTH_SHARE, MOST_STEP)))
    error = np.int64(work.errors[seat, place])
    work.errors[seat, place] = error + step - error * abs(step) // MOST_ERROR
