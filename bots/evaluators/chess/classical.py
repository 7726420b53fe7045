"""How good a chess position is: weighted terms, early and late in the game, blended by the men that are left.

The terms are the usual ones of the literature (docs/sources.md#chess-evaluation); docs/explanation/chess-evaluation.md
goes through them. The weights (weights.py) are fitted to games by `python -m scripts.weights.chess_weights`. A sum
holds an early and a late number at once, packed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.evaluators.base import EVALUATION_LIMIT
from tabiya.bots.evaluators.chess.bitboards import FIRST_FILE, all_ahead, beside, rank_of, reach_of
from tabiya.bots.evaluators.chess.endings import ALL, chance_to_win, mop_up
from tabiya.bots.evaluators.chess.pawns import passed_pawns, pawn_sets, shelter, structure
from tabiya.bots.evaluators.chess.piece_square import EARLIEST, PHASE
from tabiya.bots.evaluators.chess.weights import early_of, late_of
from tabiya.games.chess.board import (
    BISHOP,
    KING,
    KNIGHT,
    PAWN,
    QUEEN,
    ROOK,
    bishop_attacks,
    king_square,
    occupied_squares,
    rook_attacks,
)
from tabiya.games.chess.material import DARK_SQUARES
from tabiya.games.chess.tables import KING_REACH, KNIGHT_REACH
from tabiya.games.compiled.bits import ONE, ZERO, U, bit, lsb, popcount
from tabiya.games.compiled.jit import njit

SEVENTH = np.int64(6)
DANGER_SCALE = 1024  # a danger d costs d * d / DANGER_SCALE, early


@njit
def on_file(square: Any, pawns: Any, theirs: Any, weights: Any) -> Any:
    """What a rook gains by its file."""
    file = FIRST_FILE << U(square & 7)
    return np.int64(0) if file & pawns != ZERO else weights.rook_open[np.int64(file & theirs == ZERO)]


@njit
def in_place(state: Any, kind: Any, square: Any, seat: Any, pawns: Any, theirs: Any, posts: Any, weights: Any) -> Any:
    """What a bishop, rook or knight gains by where it stands among the pawns. posts: squares of outposts."""
    if kind == ROOK:
        total = on_file(square, pawns, theirs, weights)
        if rank_of(square, seat) == SEVENTH and rank_of(king_square(state, 1 - seat), seat) > SEVENTH:
            total += weights.rook_seventh
        return total
    total = np.int64(0)
    if posts & bit(square) != ZERO:
        total += weights.outpost[kind - 1]
    if kind == BISHOP:
        colour = DARK_SQUARES if DARK_SQUARES & bit(square) != ZERO else ~DARK_SQUARES
        total += weights.bishop_pawn * popcount(pawns & colour)
    return total


@njit
def officers(state: Any, seat: Any, pawns: Any, theirs: Any, guarded: Any, shot: Any, weights: Any) -> Any:
    """Knights, bishops, rooks and queens of `seat`: worth, phase, pressure, what knights to queens attack: four sets.

    guarded: what the own pawns attack.  shot: what the other's pawns do.
    """
    own, occupied, zone = state.colours[seat], occupied_squares(state), KING_REACH[king_square(state, 1 - seat)]
    free, span = ~(own | shot), all_ahead(theirs, 1 - seat)
    posts = guarded & ~beside(span)
    total, phase, pressure = np.int64(0), np.int64(0), np.int64(0)
    by_knight, by_bishop, by_rook, by_queen = ZERO, ZERO, ZERO, ZERO
    for kind in range(KNIGHT, KING):
        men, reached_all = state.pieces[kind] & own, ZERO
        while men != ZERO:
            square = lsb(men)
            men &= men - ONE
            reached = reach_of(np.int64(kind), square, occupied)
            reached_all |= reached
            phase += PHASE[kind]
            total += weights.squares[kind, square ^ 56 * seat] + weights.reach[kind - 1, popcount(reached & free)]
            pressure += weights.pressure[kind - 1] * popcount(reached & zone)
            if kind != QUEEN:
                total += in_place(state, np.int64(kind), square, seat, pawns, theirs, posts, weights)
        if kind == KNIGHT:
            by_knight = reached_all
        elif kind == BISHOP:
            by_bishop = reached_all
        elif kind == ROOK:
            by_rook = reached_all
        else:
            by_queen = reached_all
    if popcount(state.pieces[BISHOP] & own) > 1:
        total += weights.bishop_pair
    return total, phase, pressure, by_knight, by_bishop, by_rook, by_queen


@njit
def others(state: Any, seat: Any, pawns: Any, weights: Any) -> Any:
    """The worth of the pawns and the king of `seat` on their squares."""
    total = weights.squares[KING, king_square(state, seat) ^ 56 * seat]
    while pawns != ZERO:
        total += weights.squares[PAWN, lsb(pawns) ^ 56 * seat]
        pawns &= pawns - ONE
    return np.int64(total)


@njit
def checks(state: Any, seat: Any, safe: Any, knights: Any, bishops: Any, rooks: Any, queens: Any, weights: Any) -> Any:
    """The danger of the safe squares from which `seat` would give check; the sets are what its officers attack."""
    king, occupied = king_square(state, 1 - seat), occupied_squares(state)
    slant, straight = bishop_attacks(king, occupied) & safe, rook_attacks(king, occupied) & safe
    danger = weights.check[0] * popcount(KNIGHT_REACH[king] & safe & knights)
    danger += weights.check[1] * popcount(slant & bishops) + weights.check[2] * popcount(straight & rooks)
    return danger + weights.check[3] * popcount((slant | straight) & queens)


@njit
def king_danger(
    state: Any, seat: Any, all_ours: Any, all_theirs: Any, pressure: Any, checking: Any, weights: Any
) -> Any:
    """How much the danger to the other king is worth to `seat`: with the square of all that comes together."""
    zone = KING_REACH[king_square(state, 1 - seat)]
    danger = weights.calm + pressure + checking + weights.weak * popcount(zone & all_ours & ~all_theirs)
    if state.pieces[QUEEN] & state.colours[seat] == ZERO:
        danger += weights.queenless
    return danger * danger // DANGER_SCALE if danger > 0 else np.int64(0)


@njit
def threats(
    state: Any, seat: Any, by_pawn: Any, by_minor: Any, by_rook: Any, ours: Any, shot: Any, theirs: Any, weights: Any
) -> Any:
    """What the attacks of `seat` on the other's men are worth. shot, theirs: what its pawns and all its men guard."""
    men = state.colours[1 - seat]
    total = np.int64(weights.hanging * popcount(men & ours & ~theirs & ~state.pieces[KING]))
    for kind in range(KING):
        targets = state.pieces[kind] & men
        loose = targets if kind >= ROOK else targets & ~shot
        total += weights.by_pawn[kind] * popcount(targets & by_pawn)
        total += weights.by_minor[kind] * popcount(loose & by_minor) + weights.by_rook[kind] * popcount(loose & by_rook)
    return total


@njit
def terms(state: Any, weights: Any) -> Any:
    """All terms for the side to move less those for the other: the packed sum, and the earliness (0..EARLIEST)."""
    us = np.int64(state.side)
    them = 1 - us
    pawns, shots = pawn_sets(state, us)
    others_pawns, others_shots = pawn_sets(state, them)
    ours, phase, pressure, knights, bishops, rooks, queens = officers(
        state, us, pawns, others_pawns, shots, others_shots, weights
    )
    theirs, other_phase, other_pressure, other_knights, other_bishops, other_rooks, other_queens = officers(
        state, them, others_pawns, pawns, others_shots, shots, weights
    )
    minors, other_minors = knights | bishops, other_knights | other_bishops
    attacked, other_attacked = shots | minors | rooks | queens, others_shots | other_minors | other_rooks | other_queens
    total = weights.tempo + ours - theirs
    total += others(state, us, pawns, weights) - others(state, them, others_pawns, weights)
    total += structure(pawns, others_pawns, us, weights) - structure(others_pawns, pawns, them, weights)
    total += shelter(state, pawns, others_pawns, us, weights) - shelter(state, others_pawns, pawns, them, weights)
    safe, other_safe = ~(other_attacked | state.colours[us]), ~(attacked | state.colours[them])
    checking = checks(state, us, safe, knights, bishops, rooks, queens, weights)
    total += king_danger(state, us, attacked, other_attacked, pressure, checking, weights)
    checking = checks(state, them, other_safe, other_knights, other_bishops, other_rooks, other_queens, weights)
    total -= king_danger(state, them, other_attacked, attacked, other_pressure, checking, weights)
    guarded = attacked | KING_REACH[king_square(state, us)]
    other_guarded = other_attacked | KING_REACH[king_square(state, them)]
    total += threats(state, us, shots, minors, rooks, guarded, others_shots, other_guarded, weights)
    total -= threats(state, them, others_shots, other_minors, other_rooks, other_guarded, shots, guarded, weights)
    occupied = occupied_squares(state)
    total += passed_pawns(state, pawns, others_pawns, us, occupied | other_guarded, weights)
    total -= passed_pawns(state, others_pawns, pawns, them, occupied | guarded, weights)
    return total, min(phase + other_phase, EARLIEST)


@njit
def blend(state: Any, both: Any, earliness: Any) -> Any:
    """An early and a late sum in one, before what cannot be won is taken off; positive for the side to move."""
    side = np.int64(state.side)
    late = late_of(both) + mop_up(state, side) - mop_up(state, 1 - side)
    return (early_of(both) * earliness + late * (EARLIEST - earliness)) // EARLIEST


@njit
def chances(state: Any, score: Any) -> Any:
    """How much of a score for the side to move counts, in sixteenths."""
    side = np.int64(state.side)
    return chance_to_win(state, side if score > 0 else 1 - side)


@njit
def evaluate_chess(state: Any, weights: Any) -> Any:
    """The value for the side to move, in hundredths of a pawn."""
    both, earliness = terms(state, weights)
    score = blend(state, both, earliness)
    score = score * chances(state, score) // ALL
    return np.int64(max(-EVALUATION_LIMIT, min(EVALUATION_LIMIT, score)))
