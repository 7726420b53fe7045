"""The rules of reversi, as the World Othello Federation plays it.

A move puts a disc on an empty square so that discs of the opponent in a straight line between it and another disc of
the mover turn over, in all directions at once. Who has no such move passes (a move of its own, `pass`); when neither
has one the game is over and more discs win (empty squares count for nobody, which changes no winner). Black, X in
positions, is seat 0 and begins. Squares are bits 0 = a1 to 63 = h8, row by row; a move's number is its square, 64 is
the pass.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from tabiya.games.board_setup import BoardSetup, ShownBoard
from tabiya.games.compiled.bits import ONE, ZERO, U, lsb, mix, popcount
from tabiya.games.compiled.jit import njit
from tabiya.games.contract import EdgeCase, Game, OptionValue
from tabiya.games.endings import Ending
from tabiya.games.picture import EMPTY, Place, square_of
from tabiya.games.position import Position
from tabiya.games.reversi.discs import playable, turned
from tabiya.games.reversi.edge_cases import EDGE_CASES
from tabiya.games.reversi.picture import DISCS, WORDS, picture, piece_picture, places
from tabiya.games.reversi.sgf import SGF
from tabiya.games.reversi.text import SIDES, START, read_board, read_position
from tabiya.games.rules import DRAW, ONGOING, SEAT_0_WINS, SEAT_1_WINS, State

STATE = np.dtype(
    [
        ("mine", np.uint64),  # discs of the side to move
        ("theirs", np.uint64),
        ("side", np.int32),
    ],
    align=True,
)
PASS = 64
MORE, EQUAL = 0, 1
LETTER_A, LETTER_X, LETTER_O, DASH, BLANK, DIGIT_1 = 97, 88, 79, 45, 32, 49
PASS_TEXT = np.frombuffer(b"pass", np.uint8)


@njit
def is_over(state: Any) -> Any:
    """Whether neither side has a square to play."""
    return playable(state.mine, state.theirs) == ZERO and playable(state.theirs, state.mine) == ZERO


@njit
def has(discs: Any, square: Any) -> Any:
    """Whether `square` is a member of `discs`."""
    return (discs >> U(square)) & ONE != ZERO


class Reversi(Game):
    """Reversi on eight by eight squares."""

    state = STATE
    rules_version = 1
    seat_names = ("Black", "White")
    older_seat_names = (("X", "O"),)
    seat_colours = (DISCS["X"][0], DISCS["O"][0])
    endings = (Ending.MORE_DISCS, Ending.EQUAL_DISCS)
    draws_possible = True
    sgf = SGF
    pieces = MappingProxyType(WORDS)
    max_moves = 64
    max_plies = 2 * 62  # two discs at least stand already, and no pass follows a pass
    max_text = 66
    max_move_text = 4
    move_pattern = re.compile(r"[a-h][1-8]|pass")
    move_hint = "column letter and row number, such as d3, or pass"
    opening_plies = 6

    def generate(self, state: State, moves: Any) -> Any:
        squares = playable(state.mine, state.theirs)
        count = 0
        while squares != ZERO:
            moves[count] = lsb(squares)
            count += 1
            squares &= squares - ONE
        if count == 0 and playable(state.theirs, state.mine) != ZERO:
            moves[0] = PASS
            count = 1
        return count

    def make(self, state: State, move: int, child: State) -> None:
        mine, theirs = state.mine, state.theirs
        if move != PASS:
            disc = ONE << U(move)
            over = turned(disc, mine, theirs)
            mine |= disc | over
            theirs ^= over
        child.mine = theirs
        child.theirs = mine
        child.side = 1 - state.side

    def to_move(self, state: State) -> Any:
        return np.int64(state.side)

    def outcome(self, state: State, count: int) -> Any:
        if count > 0:
            return np.int64(ONGOING)
        lead = popcount(state.mine) - popcount(state.theirs)
        if lead == 0:
            return np.int64(3 * EQUAL + DRAW)
        if (lead > 0) == (state.side == 0):
            return np.int64(3 * MORE + SEAT_0_WINS)
        return np.int64(3 * MORE + SEAT_1_WINS)

    def can_win(self, state: State, seat: int) -> Any:
        """While the game goes on each seat is taken to be able to win; when it is over, the winner was."""
        own = state.mine if state.side == seat else state.theirs
        other = state.theirs if state.side == seat else state.mine
        return not is_over(state) or popcount(own) > popcount(other)

    def key(self, state: State) -> Any:
        return mix(state.mine * U(0x9E3779B97F4A7C15) ^ mix(state.theirs + U(state.side)))

    def same(self, state: State, other: State) -> Any:
        return state.mine == other.mine and state.theirs == other.theirs and state.side == other.side

    def repeats(self, state: State) -> Any:
        return 0

    def write_state(self, state: State, out: Any) -> Any:
        x = state.mine if state.side == 0 else state.theirs
        o = state.theirs if state.side == 0 else state.mine
        for square in range(64):
            out[square] = LETTER_X if has(x, square) else (LETTER_O if has(o, square) else DASH)
        out[64] = BLANK
        out[65] = LETTER_X if state.side == 0 else LETTER_O
        return 66

    def write_move(self, state: State, move: int, out: Any, at: int) -> Any:
        if move == PASS:
            for i in range(4):
                out[at + i] = PASS_TEXT[i]
            return at + 4
        out[at] = LETTER_A + (move & 7)
        out[at + 1] = DIGIT_1 + (move >> 3)
        return at + 2

    def piece_on(self, state: State, cell: int) -> Any:
        if has(state.mine, cell):
            return np.int64(state.side)
        return np.int64(1 - state.side if has(state.theirs, cell) else -1)

    def leaves_when_over(self, state: State) -> Any:
        return np.int64(1)

    def start_state(self, options: Mapping[str, OptionValue]) -> State:
        return self.parse_state(START)

    def parse_state(self, text: str) -> State:
        x, o, side = read_position(text)
        state = self.new_state()
        state.mine, state.theirs = (x, o) if side == 0 else (o, x)
        state.side = side
        return state

    def parse_setup(self, text: str) -> BoardSetup:
        return BoardSetup(self, text, read_board(text)[1])

    def put_piece(self, text: str, place: str, piece: str) -> str:
        column, row = square_of(place)
        at = 8 * row + column
        return f"{text[:at]}{'-' if piece == EMPTY else piece}{text[at + 1 :]}"

    def put_mover(self, text: str, seat: int) -> str:
        return f"{text[:-1]}{SIDES[seat]}"

    def is_fair_opening(self, position: Position) -> bool:
        """No side is ahead by more than three discs, or in squares to play, and nobody must pass."""
        discs, side = position.text().split(" ")
        mine = position.legal_moves()
        theirs = self.parse(f"{discs} {'O' if side == 'X' else 'X'}").legal_moves()
        lead = discs.count("X") - discs.count("O")
        return abs(lead) <= 3 and abs(len(mine) - len(theirs)) <= 3 and "pass" not in (*mine, *theirs)

    def edge_cases(self) -> tuple[EdgeCase, ...]:
        return EDGE_CASES

    def svg(self, position: ShownBoard, seat: int = 0) -> str:
        return picture(position)

    def places(self, position: ShownBoard, seat: int = 0) -> tuple[Place, ...]:
        return places(position)

    def piece_svg(self, piece: str) -> str:
        return piece_picture(piece)

    def tally(self, position: ShownBoard) -> tuple[str, str]:
        squares = position.text().partition(" ")[0]
        x_discs, o_discs = (squares.count(disc) for disc in "XO")
        return f"{x_discs} {'disc' if x_discs == 1 else 'discs'}", f"{o_discs} {'disc' if o_discs == 1 else 'discs'}"

    def draw(self, state: State) -> str:
        mine, theirs = int(state.mine), int(state.theirs)
        x, o = (mine, theirs) if state.side == 0 else (theirs, mine)
        discs = ["X" if x >> square & 1 else "O" if o >> square & 1 else "." for square in range(64)]
        rows = [f"{row + 1} {' '.join(discs[8 * row : 8 * row + 8])}" for row in range(8)]
        return "\n".join(["  a b c d e f g h", *rows])
