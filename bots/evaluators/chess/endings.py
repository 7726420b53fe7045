"""What the chess evaluation knows of endings: how to mate a bare king, and which advantages win nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.evaluators.chess.bitboards import FIRST_FILE, FIRST_RANK, LAST_FILE, LAST_RANK
from tabiya.games.chess.board import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, king_square
from tabiya.games.chess.material import DARK_SQUARES
from tabiya.games.chess.tables import KING_REACH
from tabiya.games.compiled.bits import ZERO, lsb, popcount
from tabiya.games.compiled.jit import njit

EDGE_DRIVE, KING_DRIVE = 12, 6  # of the mop-up against a bare king, by king steps
ALL = np.int64(16)  # sixteenths of an advantage
NOTHING, HARDLY, OPPOSITE, OPPOSITE_AND_MORE = np.int64(0), np.int64(2), np.int64(8), np.int64(13)
MINOR = 3  # the worth of a minor piece in pawns; a rook's is 5, a queen's 9


@njit
def mop_up(state: Any, seat: Any) -> Any:
    """What brings a bare king nearer to mate, see `towards_mate`; 0 while it has other men."""
    return towards_mate(state, seat) if popcount(state.colours[1 - seat]) == 1 else np.int64(0)


@njit
def towards_mate(state: Any, seat: Any) -> Any:
    """Against a king to be mated: the further from the middle and the nearer to our king, the better.

    With bishop and knight it is one of the two corners of the bishop's colour.
    """
    other = 1 - seat
    theirs, ours = king_square(state, other), king_square(state, seat)
    x, y = theirs & 7, theirs >> 3
    off_centre = max(3 - x, x - 4) + max(3 - y, y - 4)
    own, bishop = state.colours[seat], state.pieces[BISHOP] & state.colours[seat]
    if bishop != ZERO and own & ~bishop & ~state.pieces[KING] == own & state.pieces[KNIGHT] != ZERO:
        off_centre = abs(7 - x - y) if bishop & DARK_SQUARES != ZERO else abs(x - y)
    apart = abs(x - (ours & 7)) + abs(y - (ours >> 3))
    return np.int64(EDGE_DRIVE * off_centre + KING_DRIVE * (14 - apart))


@njit
def value_of_pieces(state: Any, seat: Any) -> Any:
    """The pieces of `seat` in pawns, king and pawns left out."""
    pieces, own = state.pieces, state.colours[seat]
    minors = popcount((pieces[KNIGHT] | pieces[BISHOP]) & own)
    return MINOR * minors + 5 * popcount(pieces[ROOK] & own) + 9 * popcount(pieces[QUEEN] & own)


@njit
def is_wrong_bishop(state: Any, seat: Any, pawns: Any) -> Any:
    """Whether `seat`, with a bishop and pawns, has them on one outer file whose last square the other king holds."""
    file = FIRST_FILE if pawns & FIRST_FILE != ZERO else LAST_FILE
    corner = (file & LAST_RANK) if seat == 0 else (file & FIRST_RANK)
    bishop, king = state.pieces[BISHOP] & state.colours[seat], state.pieces[KING] & state.colours[1 - seat]
    if pawns & ~file != ZERO or (corner & DARK_SQUARES == ZERO) == (bishop & DARK_SQUARES == ZERO):
        return False
    return bishop != ZERO and king & (corner | KING_REACH[lsb(corner)]) != ZERO


@njit
def chance_to_win(state: Any, seat: Any) -> Any:
    """How much of its advantage `seat`, which is ahead, can hope to turn into a win, in sixteenths."""
    pieces, own = state.pieces, state.colours[seat]
    pawns, bishops = pieces[PAWN] & own, pieces[BISHOP]
    ours, theirs = value_of_pieces(state, seat), value_of_pieces(state, 1 - seat)
    if pawns == ZERO:
        if ours - theirs > MINOR and (ours > 2 * MINOR or pieces[KNIGHT] & own != own & ~pieces[KING]):
            return ALL
        return NOTHING if ours <= 2 * MINOR and theirs == 0 else HARDLY
    if popcount(bishops) == 2 and popcount(bishops & own) == 1 and popcount(bishops & DARK_SQUARES) == 1:
        return OPPOSITE if ours == MINOR and theirs == MINOR else OPPOSITE_AND_MORE
    return NOTHING if ours == MINOR and is_wrong_bishop(state, seat, pawns) else ALL
