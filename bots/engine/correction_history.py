"""Correction history: the evaluation's average error where something is the same as before.

What is the same: `correction_key` (in chess the pawns), the pieces of the first or the second seat, the last two moves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.engine.move_order import slot_before
from tabiya.bots.engine.state import CORRECTION_KEYS, CORRECTION_KINDS
from tabiya.bots.engine.transposition_table import LOWER, UNKNOWN, UPPER
from tabiya.bots.search.scores import WON
from tabiya.games.compiled.bits import ZERO, U, mix
from tabiya.games.compiled.jit import njit

# in sixteenths of a hundredth: by pawns 64 hundredths at most, by the pieces of a seat and by moves half as much each
MOST_ERROR, MOST_STEP = 1_024, 256
SIXTEENTHS, DEPTH_SHARE = 16, 8
LAST_KEY = U(CORRECTION_KEYS - 1)
PAWNS, FIRST_SEAT, SECOND_SEAT, MOVES = map(np.int64, range(CORRECTION_KINDS))
SEATS, ONE_PLY, TWO_PLIES = (np.int64(0), np.int64(1)), np.int64(1), np.int64(2)
SLOT_BITS = 10


@njit
def places(game: Any, state: Any, work: Any, ply: Any) -> Any:
    """Where in work.errors the errors of a position are: by its pawns, the pieces of each seat, the last two moves."""
    moves = slot_before(work, ply, ONE_PLY) << SLOT_BITS | slot_before(work, ply, TWO_PLIES)
    return (
        np.int64(game.correction_key(state) & LAST_KEY),
        np.int64(game.piece_key(state, SEATS[0]) & LAST_KEY),
        np.int64(game.piece_key(state, SEATS[1]) & LAST_KEY),
        np.int64(mix(U(moves)) & LAST_KEY),
    )


@njit
def corrected(game: Any, state: Any, work: Any, evaluation: Any, ply: Any) -> Any:
    """The evaluation of stack[ply], not UNKNOWN, less the errors that it had where the same stood or was played."""
    if work.corrections == 0 or game.correction_key(state) == ZERO:
        return evaluation
    pawns, first, second, moves = places(game, state, work, ply)
    seat, errors = np.int64(game.to_move(state)), work.errors
    error = 2 * np.int64(errors[PAWNS, seat, pawns]) + np.int64(errors[FIRST_SEAT, seat, first])
    error += np.int64(errors[SECOND_SEAT, seat, second]) + np.int64(errors[MOVES, seat, moves])
    return max(-WON + 1, min(evaluation + error // (2 * SIXTEENTHS), WON - 1))


@njit
def note_error(game: Any, state: Any, work: Any, depth: Any, evaluation: Any, value: Any, bound: Any, ply: Any) -> None:
    """Learn from a node that was searched: its corrected evaluation, and the value found or what bounds it."""
    if work.corrections == 0 or evaluation == UNKNOWN or abs(value) >= WON:
        return
    if (bound == LOWER and value <= evaluation) or (bound == UPPER and value >= evaluation):
        return  # which says nothing of the error
    if game.correction_key(state) == ZERO:
        return
    seat, found = np.int64(game.to_move(state)), places(game, state, work, ply)
    step = np.int64(max(-MOST_STEP, min((value - evaluation) * depth // DEPTH_SHARE, MOST_STEP)))
    for kind in range(CORRECTION_KINDS):
        error = np.int64(work.errors[kind, seat, found[kind]])
        work.errors[kind, seat, found[kind]] = error + step - error * abs(step) // MOST_ERROR
