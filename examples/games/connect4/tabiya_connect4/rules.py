"""The rules of Connect Four: a disc falls to the lowest empty cell of its column; four in a row win.

A move is the letter of a column, and its number the column's. Red is seat 0.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Any

import numpy as np

from tabiya.game import (
    DRAW,
    ONGOING,
    Board,
    BoardSetup,
    Ending,
    GridGame,
    Place,
    ShownBoard,
    State,
    grid_state,
    in_python,
    njit,
)

COLUMNS, ROWS = 7, 6
LETTER_A = ord("a")
FOUR_IN_A_ROW, FULL = 0, 1  # as in `endings`


@njit
def height(cells: Any, column: Any) -> Any:
    """How many discs lie in a column."""
    row = 0
    while row < ROWS and cells[row * COLUMNS + column] != 0:
        row += 1
    return row


@njit
def has_four(cells: Any, disc: Any) -> Any:
    """Whether four discs of this number lie in a row."""
    for row in range(ROWS):
        for column in range(COLUMNS):
            for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
                x, y, count = column, row, 0
                while 0 <= x < COLUMNS and y < ROWS and count < 4 and cells[y * COLUMNS + x] == disc:
                    x, y, count = x + dx, y + dy, count + 1
                if count == 4:
                    return True
    return False


class ConnectFour(GridGame):
    """Connect Four on the usual board."""

    state = grid_state(COLUMNS, ROWS, ("count", np.int64), ("won", np.int64))  # discs; whether the last move has won
    columns, rows, symbols = COLUMNS, ROWS, "RY"
    pieces = MappingProxyType({"R": "red disc", "Y": "yellow disc"})
    rules_version = 1
    seat_names = ("Red", "Yellow")
    seat_colours = ("#d55e00", "#f0e442")
    endings = ("four_in_a_row", Ending.FULL_BOARD)
    draws_possible = True
    opening_plies = 2
    max_moves, max_plies, max_move_text = COLUMNS, COLUMNS * ROWS, 1
    move_pattern = re.compile("[a-g]")
    move_hint = "the letter of a column, such as d"

    def generate(self, state: State, moves: Any) -> Any:
        count = 0
        for column in range(COLUMNS):
            if state.won == 0 and state.cells[(ROWS - 1) * COLUMNS + column] == 0:
                moves[count] = column
                count += 1
        return count

    def make(self, state: State, move: int, child: State) -> None:
        for cell in range(COLUMNS * ROWS):
            child.cells[cell] = state.cells[cell]
        child.cells[height(state.cells, move) * COLUMNS + move] = 1 + state.side
        child.side, child.count = 1 - state.side, state.count + 1
        child.won = has_four(child.cells, 1 + state.side)

    def outcome(self, state: State, count: int) -> Any:
        if state.won != 0:
            return np.int64(3 * FOUR_IN_A_ROW + 1 - state.side)
        return np.int64(3 * FULL + DRAW if state.count == COLUMNS * ROWS else ONGOING)

    def write_move(self, state: State, move: int, out: Any, at: int) -> Any:
        out[at] = LETTER_A + move
        return at + 1

    def check(self, state: State) -> str:
        cells = state.cells.reshape(ROWS, COLUMNS)
        state.count = np.count_nonzero(cells)
        if np.any((cells[1:] != 0) & (cells[:-1] == 0)):
            return "a disc has nothing under it"
        if np.count_nonzero(cells == 1) - np.count_nonzero(cells == 2) != state.side:
            return "Red begins and both move by turns, which does not fit the number of discs"
        state.won = in_python(has_four)(state.cells, 2 - state.side)
        mine = in_python(has_four)(state.cells, 1 + state.side)
        return "who is to move has four in a row already" if mine else ""

    def places(self, position: ShownBoard, seat: int = 0) -> tuple[Place, ...]:
        if isinstance(position, BoardSetup):  # then discs are put on cells
            return super().places(position, seat)
        board = Board(COLUMNS, ROWS)
        corners = [board.corner(column, ROWS - 1) for column in range(COLUMNS)]
        return tuple(
            Place("abcdefg"[column], x, y, board.CELL, ROWS * board.CELL, "column")
            for column, (x, y) in enumerate(corners)
        )

    def last_cells(self, position: ShownBoard) -> tuple[int, ...]:
        if position.last_move is None:
            return ()
        column = "abcdefg".index(position.last_move)
        discs = int(np.count_nonzero(self.parse_state(position.text()).cells[column::COLUMNS]))
        return ((discs - 1) * COLUMNS + column,)
