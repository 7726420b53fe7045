"""How good a chess position is, by a small neural network: what the playing engine thinks.

The position is seen twice, by the side to move and by the other: each sees its own men and the other's, its first rank
below, its king on the left half. Each man on its square adds a row of HIDDEN numbers to what its viewer sees; held
within 0..TOP and squared, they are weighed by numbers for the side to move and for the other, and by how many men there
are. docs/explanation/chess-evaluation.md tells where the numbers come from: `python -m scripts.weights.chess_net`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tabiya.bots.evaluators.base import EVALUATION_LIMIT
from tabiya.bots.evaluators.chess.bitbase import distance_of, result_of
from tabiya.bots.evaluators.chess.endings import ALL, chance_to_win, towards_mate, value_of_pieces
from tabiya.games.chess.board import PAWN, king_square, occupied_squares
from tabiya.games.compiled.bits import ONE, ZERO, bit, lsb, popcount
from tabiya.games.compiled.jit import njit
from tabiya.games.compiled.simd import TOP, Table
from tabiya.games.rules import DRAW, ONGOING

FILE = Path(__file__).with_name("network.npz")
HIDDEN = 128
KINDS, SQUARES = 6, 64
INPUTS = 2 * KINDS * SQUARES  # own men, the other's: by kind and square
GROUPS = 8  # of positions, by the number of men: 1 to 4, 5 to 8, ...
START = np.int64(INPUTS)  # the row that every sum begins with
WEIGHING = np.int64(INPUTS + 1)  # then for each group a row for the side to move, one for the other
MORE = np.int64(WEIGHING + 2 * GROUPS)  # what is added in the end, by group, in hundredths of a pawn
WEIGHT_UNIT = 128  # a weight of 1
PAWNS = 4  # of value, that a sum of 1 means
HUNDREDTHS, UNIT = np.int64(100 * PAWNS), np.int64(TOP * TOP * WEIGHT_UNIT)
KNOWN_WIN, LESS = np.int64(5_000), 4  # what a win by right play is worth at least; of what only leads there
PIECE, FAINTLY = np.int64(100), 16  # against a bare king: a pawn's worth of pieces; what the network is divided by

TABLE = Table("tabiya_chess_net", int(MORE) + 1, HIDDEN)
row, added, weighed, number = TABLE.row, TABLE.added, TABLE.weighed, TABLE.number


def load(path: Path = FILE) -> None:
    """Read the numbers of a file that `save` wrote."""
    with np.load(path) as file:
        TABLE.numbers[:] = file["rows"]


def save(path: Path, rows: Any) -> None:
    """Write the numbers of a network: an int16 array like those of TABLE."""
    np.savez_compressed(path, rows=np.asarray(rows, np.int16))


load()


@njit
def turn_of(state: Any, seat: Any) -> Any:
    """What turns squares (by XOR) into what `seat` sees: its first rank below, its king on the left half."""
    return 56 * seat ^ (7 if king_square(state, seat) & 7 > 3 else 0)


@njit
def input_of(kind: Any, is_own: Any, square: Any, turn: Any) -> Any:
    """The number of the input that a man on a square is."""
    return np.int64(SQUARES * (kind if is_own else kind + KINDS) + (square ^ turn))


@njit
def seen_by(state: Any, seat: Any) -> Any:
    """What `seat` sees: the sum of the rows of all men."""
    men, own, turn = occupied_squares(state), state.colours[seat], turn_of(state, seat)
    lanes = row(START)
    while men != ZERO:
        square = lsb(men)
        men &= men - ONE
        lanes = added(lanes, input_of(np.int64(state.kinds[square]), own & bit(square) != ZERO, square, turn))
    return lanes


@njit
def net_value(state: Any) -> Any:
    """What the network says for the side to move, in hundredths of a pawn."""
    side = np.int64(state.side)
    group = (popcount(occupied_squares(state)) - 1) * GROUPS >> 5
    place = WEIGHING + 2 * group
    total = weighed(seen_by(state, side), place) + weighed(seen_by(state, 1 - side), place + 1)
    return total * HUNDREDTHS // UNIT + number(MORE * HIDDEN + group)


@njit
def against_bare_king(state: Any, seat: Any, score: Any) -> Any:
    """The value for `seat` against a bare king. score: the network's, which has learned few such positions.

    With pawns alone the score counts in full; with pieces these count, and the score hardly.
    """
    pieces = value_of_pieces(state, seat)
    return towards_mate(state, seat) + (score if pieces == 0 else score // FAINTLY + PIECE * pieces)


@njit
def progress(state: Any, seat: Any, score: Any) -> Any:
    """The value for `seat`, which wins by right play: more the nearer it is to that. score: as above."""
    pieces = value_of_pieces(state, seat)
    pawns = state.pieces[PAWN]
    ahead = pieces + popcount(pawns & state.colours[seat])
    ahead -= value_of_pieces(state, 1 - seat) + popcount(pawns & state.colours[1 - seat])
    drive = np.int64(0) if pieces == 0 else towards_mate(state, seat)
    distance = distance_of(state)
    if distance > 0:
        drive = drive // LESS - PIECE * distance
    return KNOWN_WIN + PIECE * ahead + drive + score // (FAINTLY if pawns == ZERO else LESS)


@njit
def evaluate_by_net(state: Any) -> Any:
    """The value for the side to move, in hundredths of a pawn; what cannot be won counts little or nothing."""
    side = np.int64(state.side)
    result = result_of(state)
    if result == DRAW:
        return np.int64(0)
    score = net_value(state)
    if result == side:
        return progress(state, side, score)
    if result != ONGOING:
        return -progress(state, 1 - side, -score)
    if popcount(state.colours[1 - side]) == 1:
        score = against_bare_king(state, side, score)
    elif popcount(state.colours[side]) == 1:
        score = -against_bare_king(state, 1 - side, -score)
    score = score * chance_to_win(state, side if score > 0 else 1 - side) // ALL
    return np.int64(max(-EVALUATION_LIMIT, min(EVALUATION_LIMIT, score)))
