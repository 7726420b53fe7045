"""How good a chess position is: each term early and late in the game, blended by the men that are left.

The squares' worth is published (chess_tables.py). The other terms are the usual ones of the literature
(docs/sources.md#chess-evaluation); their weights are our own, in hundredths of a pawn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bots.players.chess_tables import EARLIEST, EARLY, LATE, PHASE
from games.chess.board import (
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
from games.chess.material import DARK_SQUARES
from games.chess.tables import KING_REACH, KNIGHT_REACH
from games.compiled.bits import ONE, ZERO, U, lsb, popcount
from games.compiled.jit import njit

TEMPO = 14
PAIR_EARLY, PAIR_LATE = 22, 40
EIGHT, ONE_FILE = U(8), U(1)
NOT_A, NOT_H = U(0xFEFEFEFEFEFEFEFE), U(0x7F7F7F7F7F7F7F7F)
FIRST_FILE = U(0x0101010101010101)

# of each square a man reaches that no pawn guards, by kind, and how many are neither good nor bad
REACH_EARLY = np.array([0, 4, 4, 2, 1, 0], np.int64)
REACH_LATE = np.array([0, 4, 5, 4, 3, 0], np.int64)
REACH_USUAL = np.array([0, 4, 6, 6, 12, 0], np.int64)
# of each square beside the enemy king that a man reaches; the sum counts the more the more men take part (in 16ths)
PRESSURE = np.array([0, 10, 10, 16, 24, 0], np.int64)
TAKING_PART = np.array([0, 2, 8, 12, 14, 15, 16, 16, 16], np.int64)
MOST_MEN = np.int64(8)

# passed pawns by rank, seen by their owner
PASSED_EARLY = np.array([0, 0, 0, 5, 18, 40, 70, 0], np.int64)
PASSED_LATE = np.array([0, 5, 10, 25, 50, 85, 120, 0], np.int64)
ESCORT = np.array([0, 0, 0, 1, 2, 4, 5, 0], np.int64)  # late, of each step that their king is further away than ours
ISOLATED_EARLY, ISOLATED_LATE, DOUBLED_EARLY, DOUBLED_LATE = -8, -10, -4, -14
SUPPORTED, BESIDE = 7, 4
OPEN_EARLY, OPEN_LATE, HALF_OPEN = 22, 8, 10
SHIELD = 9  # of each pawn before the king, early
HIT_BY_PAWN = 35  # of each piece that a pawn attacks
EDGE_DRIVE, KING_DRIVE = 12, 6  # of the mop-up against a bare king, by king steps
WINNING = 400  # so much more material is needed to win without pawns


@njit(nogil=True)
def reach_of(kind: Any, square: Any, occupied: Any) -> Any:
    """The squares a piece reaches, those of its own men included."""
    if kind == KNIGHT:
        return KNIGHT_REACH[square]
    if kind == BISHOP:
        return bishop_attacks(square, occupied)
    if kind == ROOK:
        return rook_attacks(square, occupied)
    return bishop_attacks(square, occupied) | rook_attacks(square, occupied)


@njit(nogil=True)
def beside(squares: Any) -> Any:
    """The squares to the left and right of `squares`."""
    return ((squares & NOT_A) >> ONE_FILE) | ((squares & NOT_H) << ONE_FILE)


@njit(nogil=True)
def ahead(squares: Any, seat: Any) -> Any:
    """One step forward for `seat`."""
    return squares << EIGHT if seat == 0 else squares >> EIGHT


@njit(nogil=True)
def all_ahead(squares: Any, seat: Any) -> Any:
    """Every square in front of `squares` for `seat`."""
    found = ahead(squares, seat)
    for _ in range(5):
        found |= ahead(found, seat)
    return found


@njit(nogil=True)
def steps_between(one: Any, other: Any) -> Any:
    """A king's steps from square to square."""
    return max(abs((one & 7) - (other & 7)), abs((one >> 3) - (other >> 3)))


@njit(nogil=True)
def pawns_of(state: Any, seat: Any, pawns: Any, theirs: Any) -> Any:
    """The structure of the pawns of `seat`, early and late."""
    files = all_ahead(pawns, seat) | all_ahead(pawns, 1 - seat) | pawns
    isolated, doubled = popcount(pawns & ~beside(files)), popcount(pawns & all_ahead(pawns, seat))
    linked = SUPPORTED * popcount(pawns & beside(ahead(pawns, seat))) + BESIDE * popcount(pawns & beside(pawns))
    early = linked + ISOLATED_EARLY * isolated + DOUBLED_EARLY * doubled
    late = linked + ISOLATED_LATE * isolated + DOUBLED_LATE * doubled
    stopped = all_ahead(theirs, 1 - seat)
    passed = pawns & ~(stopped | beside(stopped))
    ours, other = king_square(state, seat), king_square(state, 1 - seat)
    while passed != ZERO:
        square = lsb(passed)
        passed &= passed - ONE
        rank = square >> 3 if seat == 0 else 7 - (square >> 3)
        goal = square + 8 - 16 * seat
        early += PASSED_EARLY[rank]
        late += PASSED_LATE[rank] + ESCORT[rank] * (steps_between(other, goal) - steps_between(ours, goal))
    return early, late


@njit(nogil=True)
def rook_file(square: Any, pawns: Any, theirs: Any) -> Any:
    """What a rook gains by its file, early and late."""
    file = FIRST_FILE << U(square & 7)
    if file & pawns != ZERO:
        return 0, 0
    return (OPEN_EARLY, OPEN_LATE) if file & theirs == ZERO else (HALF_OPEN, HALF_OPEN)


@njit(nogil=True)
def men_of(state: Any, seat: Any, pawns: Any, theirs: Any) -> Any:
    """The men of `seat` one by one: early, late, what they add to the phase."""
    own, occupied = state.colours[seat], occupied_squares(state)
    free = ~(own | beside(ahead(theirs, 1 - seat)))
    zone = KING_REACH[king_square(state, 1 - seat)]
    early, late, phase, pressure, attackers = np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for kind in range(6):
        men = state.pieces[kind] & own
        while men != ZERO:
            square = lsb(men)
            men &= men - ONE
            early += EARLY[seat, kind, square]
            late += LATE[seat, kind, square]
            phase += PHASE[kind]
            if kind in (PAWN, KING):
                continue
            reached = reach_of(np.int64(kind), square, occupied)
            squares = popcount(reached & free) - REACH_USUAL[kind]
            early += REACH_EARLY[kind] * squares
            late += REACH_LATE[kind] * squares
            if reached & zone != ZERO:
                attackers += 1
                pressure += PRESSURE[kind] * popcount(reached & zone)
            if kind == ROOK:
                file_early, file_late = rook_file(square, pawns, theirs)
                early, late = early + file_early, late + file_late
    return early + pressure * TAKING_PART[min(attackers, MOST_MEN)] // 16, late, phase


@njit(nogil=True)
def side_of(state: Any, seat: Any) -> Any:
    """Everything of one side: early, late, phase."""
    own, other = state.colours[seat], state.colours[1 - seat]
    pawns, theirs = state.pieces[PAWN] & own, state.pieces[PAWN] & other
    early, late, phase = men_of(state, seat, pawns, theirs)
    pawns_early, pawns_late = pawns_of(state, seat, pawns, theirs)
    king = state.pieces[KING] & own
    front = ahead(king | beside(king), seat)
    early += pawns_early + SHIELD * popcount((front | ahead(front, seat)) & pawns)
    late += pawns_late
    hit = HIT_BY_PAWN * popcount(beside(ahead(pawns, seat)) & other & ~theirs & ~state.pieces[KING])
    if popcount(state.pieces[BISHOP] & own) > 1:
        early, late = early + PAIR_EARLY, late + PAIR_LATE
    return early + hit, late + hit, phase


@njit(nogil=True)
def mop_up(state: Any, seat: Any) -> Any:
    """Against a bare king: the further from the middle and the nearer to our king, the better."""
    other = 1 - seat
    if popcount(state.colours[other]) > 1:
        return np.int64(0)
    theirs, ours = king_square(state, other), king_square(state, seat)
    x, y = theirs & 7, theirs >> 3
    off_centre = max(3 - x, x - 4) + max(3 - y, y - 4)
    apart = abs(x - (ours & 7)) + abs(y - (ours >> 3))
    return np.int64(EDGE_DRIVE * off_centre + KING_DRIVE * (14 - apart))


@njit(nogil=True)
def opposite_bishops(state: Any) -> Any:
    """Whether each side has one bishop, on different colours, and no other piece."""
    bishops, pieces = state.pieces[BISHOP], state.pieces
    return (
        pieces[KNIGHT] | pieces[ROOK] | pieces[QUEEN] == ZERO
        and popcount(bishops) == 2
        and popcount(bishops & state.colours[0]) == 1
        and popcount(bishops & DARK_SQUARES) == 1
    )


@njit(nogil=True)
def chance_to_win(state: Any, seat: Any, late: Any) -> Any:
    """How much of its advantage `seat`, which is ahead by `late`, can hope to turn into a win, in quarters."""
    if state.pieces[PAWN] & state.colours[seat] == ZERO and late < WINNING:
        return np.int64(1)
    return np.int64(2 if opposite_bishops(state) else 4)


@njit(nogil=True)
def evaluate_chess(state: Any) -> Any:
    """The value for the side to move, in hundredths of a pawn."""
    side = np.int64(state.side)
    early, late, phase = side_of(state, side)
    other_early, other_late, other_phase = side_of(state, 1 - side)
    earliness = min(phase + other_phase, EARLIEST)
    early, late = early - other_early, late - other_late
    ahead_seat = side if late > 0 else 1 - side
    late = late * chance_to_win(state, ahead_seat, abs(late)) // 4
    score = (early * earliness + late * (EARLIEST - earliness)) // EARLIEST
    return np.int64(score + TEMPO + mop_up(state, side) - mop_up(state, 1 - side))
