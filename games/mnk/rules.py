"""The rules of the m,n,k games, for every board up to 20x20.

Cells are numbered row by row from a1: cell = row * columns + column, a1 = 0, b1 = 1. Rows are written from row 1 up.
A move's number is its cell. X is seat 0. The first line of k or more stones wins; a full board is a draw.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from tabiya.games.board_setup import BoardSetup, ShownBoard
from tabiya.games.compiled.bits import ONE, ZERO, U, bit, lsb, mix
from tabiya.games.compiled.decimal import write_number
from tabiya.games.compiled.jit import njit
from tabiya.games.contract import EdgeCase, Game, Option, OptionValue
from tabiya.games.endings import Ending
from tabiya.games.errors import PositionError
from tabiya.games.mnk.edge_cases import edge_cases_of
from tabiya.games.mnk.picture import CROSS, RING, STONES, picture, piece_picture, places
from tabiya.games.mnk.sgf import IN_ROW, SGF
from tabiya.games.mnk.text import Layout, check_counts, lines, read_layout
from tabiya.games.picture import EMPTY, Place, square_of
from tabiya.games.position import Position
from tabiya.games.rules import DRAW, ONGOING, State

WORDS = 7  # 64-bit words a set of 400 cells needs
ODD, HALF = U(0x9E3779B97F4A7C15), U(32)
STATE = np.dtype(
    [
        ("stones", np.uint64, (2, WORDS)),
        ("columns", np.int32),
        ("rows", np.int32),
        ("k", np.int32),
        ("side", np.int32),
        ("count", np.int32),  # stones on the board
        ("winner", np.int32),  # seat with a line, -1 while there is none
    ],
    align=True,
)
LINE, FULL = 0, 1
NEVER = 1000
OPENING_REACH = 3  # a random opening stays this close to the middle of the board, in columns and rows
LETTER_A, LETTER_X, LETTER_O, DASH, TIMES, BLANK = 97, 88, 79, 45, 120, 32


@njit
def has(stones: Any, seat: Any, cell: Any) -> Any:
    """Whether `seat` has a stone on `cell`."""
    return (stones[seat, cell >> 6] >> U(cell & 63)) & ONE != ZERO


@njit
def run(state: Any, seat: Any, cell: Any, dx: Any, dy: Any) -> Any:
    """How many stones of `seat` stand in a row beyond `cell` in the direction (dx, dy)."""
    x = cell % state.columns + dx
    y = cell // state.columns + dy
    length = 0
    while 0 <= x < state.columns and 0 <= y < state.rows and has(state.stones, seat, y * state.columns + x):
        length += 1
        x += dx
        y += dy
    return length


@njit
def completes_line(state: Any, seat: Any, cell: Any) -> Any:
    """Whether a stone of `seat` on `cell` makes a line of k or more."""
    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
        if 1 + run(state, seat, cell, dx, dy) + run(state, seat, cell, -dx, -dy) >= state.k:
            return True
    return False


@njit
def missing(state: Any, seat: Any, cell: Any, dx: Any, dy: Any) -> Any:
    """How many stones `seat` lacks to k in a row from `cell` along (dx, dy); NEVER if that line cannot be made."""
    x = cell % state.columns
    y = cell // state.columns
    lacking = 0
    for _ in range(state.k):
        if not (0 <= x < state.columns and 0 <= y < state.rows):
            return NEVER
        here = y * state.columns + x
        if has(state.stones, 1 - seat, here):
            return NEVER
        if not has(state.stones, seat, here):
            lacking += 1
        x += dx
        y += dy
    return lacking


class Mnk(Game):
    """One game of the family: its usual size, and whether other sizes may be asked for."""

    state = STATE
    rules_version = 1
    seat_names = ("X", "O")
    seat_colours = (CROSS, RING)
    endings = (Ending.LINE, Ending.FULL_BOARD)
    draws_possible = True
    pieces = MappingProxyType(STONES)
    max_move_text = 3
    move_pattern = re.compile(r"[a-t](?:[1-9]|1[0-9]|20)")
    move_hint = "column letter and row number, such as b2"

    def __init__(
        self, name: str, title: str, *, columns: int, rows: int, k: int, largest: int = 0, opening_plies: int = 0
    ) -> None:
        """largest: the longest side that options may ask for; 0 for a fixed board."""
        super().__init__(name, title)
        self.sgf = SGF if k == IN_ROW else None
        self._usual = Layout(columns, rows, k)
        self._largest = largest
        self.opening_plies = opening_plies
        cells = max(columns * rows, largest * largest)
        self.max_moves = self.max_plies = cells
        self.max_text = 10 + cells
        if largest:
            self.options = (
                Option("columns", columns, "columns of the board", low=k, high=largest),
                Option("rows", rows, "rows of the board", low=k, high=largest),
            )

    def generate(self, state: State, moves: Any) -> Any:
        count = 0
        if state.winner >= 0:
            return count
        cells = state.columns * state.rows
        for word in range((cells + 63) >> 6):
            empty = ~(state.stones[0, word] | state.stones[1, word])
            if 64 * word + 64 > cells:
                empty &= bit(cells & 63) - ONE
            while empty != ZERO:
                moves[count] = 64 * word + lsb(empty)
                count += 1
                empty &= empty - ONE
        return count

    def make(self, state: State, move: int, child: State) -> None:
        seat = np.int64(state.side)
        for word in range(WORDS):
            child.stones[0, word] = state.stones[0, word]
            child.stones[1, word] = state.stones[1, word]
        child.stones[seat, move >> 6] |= bit(move & 63)
        child.columns, child.rows, child.k = state.columns, state.rows, state.k
        child.count = state.count + 1
        child.side = 1 - seat
        child.winner = seat if completes_line(child, seat, move) else -1

    def to_move(self, state: State) -> Any:
        return np.int64(state.side)

    def outcome(self, state: State, count: int) -> Any:
        if state.winner >= 0:
            return np.int64(3 * LINE + state.winner)
        if state.count == state.columns * state.rows:
            return np.int64(3 * FULL + DRAW)
        return np.int64(ONGOING)

    def can_win(self, state: State, seat: int) -> Any:
        """Whether a line free of the opponent lacks no more stones than `seat` may still place.

        Never False when a win is possible. It can be True without: when every filling up makes the other's line first.
        """
        if state.winner >= 0:
            return state.winner == seat
        empty = state.columns * state.rows - state.count
        placeable = (empty + 1) >> 1 if state.side == seat else empty >> 1
        for cell in range(state.columns * state.rows):
            for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                if missing(state, seat, cell, dx, dy) <= placeable:
                    return True
        return False

    def key(self, state: State) -> Any:
        h = U(((state.columns << 12) + (state.rows << 6) + state.k) * 2 + state.side)
        for word in range((state.columns * state.rows + 63) >> 6):
            h = (h ^ mix(state.stones[0, word])) * ODD
            h = (h ^ mix(state.stones[1, word])) * ODD
        return h ^ (h >> HALF)

    def same(self, state: State, other: State) -> Any:
        for word in range(WORDS):
            if state.stones[0, word] != other.stones[0, word] or state.stones[1, word] != other.stones[1, word]:
                return False
        alike = state.columns == other.columns and state.rows == other.rows and state.k == other.k
        return alike and state.side == other.side

    def repeats(self, state: State) -> Any:
        return 0

    def write_state(self, state: State, out: Any) -> Any:
        at = write_number(state.columns, out, 0)
        out[at] = TIMES
        at = write_number(state.rows, out, at + 1)
        out[at] = TIMES
        at = write_number(state.k, out, at + 1)
        out[at] = BLANK
        at += 1
        for cell in range(state.columns * state.rows):
            out[at] = LETTER_X if has(state.stones, 0, cell) else (LETTER_O if has(state.stones, 1, cell) else DASH)
            at += 1
        out[at] = BLANK
        out[at + 1] = LETTER_X if state.side == 0 else LETTER_O
        return at + 2

    def write_move(self, state: State, move: int, out: Any, at: int) -> Any:
        out[at] = LETTER_A + move % state.columns
        return write_number(move // state.columns + 1, out, at + 1)

    def piece_on(self, state: State, cell: int) -> Any:
        return np.int64(0 if has(state.stones, 0, cell) else (1 if has(state.stones, 1, cell) else -1))

    def start_state(self, options: Mapping[str, OptionValue]) -> State:
        columns = int(options.get("columns", self._usual.columns))
        rows = int(options.get("rows", self._usual.rows))
        return self._empty(Layout(columns, rows, self._usual.k))

    def parse_state(self, text: str) -> State:
        layout, cells, side = self._read(text)
        check_counts(cells, side)
        state = self._empty(layout)
        state.side = side
        for cell, stone in enumerate(cells):
            if stone != "-":
                seat = "XO".index(stone)
                state.stones[seat, cell >> 6] |= U(1 << (cell & 63))
                state.count += 1
        winners = lines(cells, layout)
        if len(winners) > 1 or "XO"[side] in winners:
            raise PositionError(f"{'XO'[side]} is to move, so only {'OX'[side]} can have a line, in {text}")
        if winners:
            state.winner = 1 - side
        return state

    def _read(self, text: str) -> tuple[Layout, str, int]:
        return read_layout(self.title, text, self._usual, self._largest)

    def parse_setup(self, text: str) -> BoardSetup:
        return BoardSetup(self, text, self._read(text)[2])

    def put_piece(self, text: str, place: str, piece: str) -> str:
        layout, cells, side = self._read(text)
        column, row = square_of(place)
        at = row * layout.columns + column
        return f"{layout} {cells[:at]}{'-' if piece == EMPTY else piece}{cells[at + 1 :]} {'XO'[side]}"

    def put_mover(self, text: str, seat: int) -> str:
        return f"{text[:-1]}{'XO'[seat]}"

    def _empty(self, layout: Layout) -> State:
        state = self.new_state()
        state.columns, state.rows, state.k = layout
        state.winner = -1
        return state

    def opening_moves(self, position: Position) -> tuple[str, ...]:
        """The legal moves at most three columns and rows from the middle, all if there are none."""
        columns, rows = int(position.state.columns), int(position.state.rows)
        central = _central(columns, rows)
        return tuple(text for text in position.legal_moves() if text in central) or position.legal_moves()

    def edge_cases(self) -> tuple[EdgeCase, ...]:
        return edge_cases_of(self._usual, self._largest)

    def svg(self, position: ShownBoard, seat: int = 0) -> str:
        return picture(position)

    def places(self, position: ShownBoard, seat: int = 0) -> tuple[Place, ...]:
        return places(position)

    def piece_svg(self, piece: str) -> str:
        return piece_picture(piece)

    def draw(self, state: State) -> str:
        columns, rows = int(state.columns), int(state.rows)
        x, o = (sum(int(word) << 64 * at for at, word in enumerate(stones)) for stones in state.stones)
        cells = ["X" if x >> cell & 1 else "O" if o >> cell & 1 else "." for cell in range(columns * rows)]
        lines = [f"{row + 1:>2} " + " ".join(cells[row * columns : (row + 1) * columns]) for row in range(rows)]
        letters = "   " + " ".join("abcdefghijklmnopqrst"[:columns])
        return "\n".join([*reversed(lines), letters])


@functools.cache
def _central(columns: int, rows: int) -> frozenset[str]:
    return frozenset(
        f"{chr(LETTER_A + column)}{row + 1}"
        for column in range(columns)
        for row in range(rows)
        if max(abs(2 * column - columns + 1), abs(2 * row - rows + 1)) <= 2 * OPENING_REACH
    )
