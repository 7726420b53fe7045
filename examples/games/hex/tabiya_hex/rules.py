"""The rules of Hex, without the swap: a stone on any empty cell; Red joins lower and upper edge, Blue the others.

A cell touches six others: those beside it, those above and below, and one more in each of these two rows, for each row
begins half a cell to the right of the one below. Red is seat 0; a draw is impossible.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

import numpy as np

from tabiya.game import (
    ONGOING,
    GridGame,
    Option,
    Place,
    ShownBoard,
    State,
    document,
    grid_state,
    in_python,
    njit,
    tag,
    text,
)

SIZE = 11  # of the usual board, which is the largest
LETTER_A, RED, BLUE = 97, 1, 2
NEIGHBOURS = np.array([(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)], np.int64)  # columns and rows
EDGE, HALF = 8.0, 5.0  # the picture's margin, and half the width of a cell


@njit
def joins(cells: Any, size: Any, stone: Any) -> Any:
    """Whether stones of this number join the two edges that are theirs. size: cells a side."""
    reached, waiting, count = np.zeros(len(cells), np.bool_), np.zeros(len(cells), np.int64), 0
    for step in range(size):
        cell = step if stone == RED else step * size
        if cells[cell] == stone:
            reached[cell], waiting[count], count = True, cell, count + 1
    while count > 0:
        count -= 1
        column, row = waiting[count] % size, waiting[count] // size
        if (row if stone == RED else column) == size - 1:
            return True
        for dx, dy in NEIGHBOURS:
            cell = (row + dy) * size + column + dx
            if 0 <= column + dx < size and 0 <= row + dy < size and cells[cell] == stone and not reached[cell]:
                reached[cell], waiting[count], count = True, cell, count + 1
    return False


class Hex(GridGame):
    """Hex on 2 x 2 to 11 x 11 cells."""

    # with the size of the board, and whether the last move has won
    state = grid_state(SIZE, SIZE, ("columns", np.int64), ("rows", np.int64), ("won", np.int64))
    options = (Option("size", SIZE, "cells a side", 2, SIZE),)
    columns = rows = SIZE
    symbols = "RB"
    pieces = MappingProxyType({"R": "red stone", "B": "blue stone"})
    rules_version = 1
    seat_names = ("Red", "Blue")
    seat_colours = ("#d55e00", "#0072b2")
    endings = ("edges_joined",)
    draws_possible = False
    opening_plies = 2
    max_moves = max_plies = SIZE * SIZE
    max_move_text = 3
    move_pattern = re.compile("[a-k]([1-9]|1[01])")
    move_hint = "a cell, such as f6"

    def generate(self, state: State, moves: Any) -> Any:
        count = 0
        for cell in range(state.columns * state.rows):
            if state.won == 0 and state.cells[cell] == 0:
                moves[count] = cell
                count += 1
        return count

    def make(self, state: State, move: int, child: State) -> None:
        child.cells[:], child.columns, child.rows = state.cells, state.columns, state.rows
        child.cells[move] = 1 + state.side
        child.side, child.won = 1 - state.side, joins(child.cells, state.columns, 1 + state.side)

    def outcome(self, state: State, count: int) -> Any:
        return np.int64(1 - state.side if state.won != 0 else ONGOING)

    def check(self, state: State) -> str:
        if np.count_nonzero(state.cells == RED) - np.count_nonzero(state.cells == BLUE) != state.side:
            return "Red begins and both move by turns, which does not fit the number of stones"
        state.won, won = (in_python(joins)(state.cells, state.columns, one) for one in (2 - state.side, 1 + state.side))
        return "who is to move has joined its edges already" if won else ""

    def draw(self, state: State) -> str:
        *rows, letters = super().draw(state).split("\n")
        return "\n".join([*(" " * (len(rows) - at) + row for at, row in enumerate(rows, 1)), letters])

    def _centre(self, cell: int, size: int) -> tuple[float, float]:
        column, row = cell % size, cell // size
        return EDGE + HALF * (2 * column + row + 1), EDGE + HALF * (1.75 * (size - 1 - row) + 1)

    def places(self, position: ShownBoard, seat: int = 0) -> tuple[Place, ...]:
        square = super().places(position)
        size = int(np.sqrt(len(square)))
        centres = (self._centre(at, size) for at in range(len(square)))
        return tuple(
            place._replace(x=x - HALF, y=y - HALF, width=2 * HALF, height=2 * HALF)
            for place, (x, y) in zip(square, centres, strict=True)
        )

    def svg(self, position: ShownBoard, seat: int = 0) -> str:
        state = self.read_cells(position.text())
        size = int(state.columns)
        width, height = self._centre(size * size - 1, size)[0], self._centre(0, size)[1]
        parts = list(self._parts(state.cells[: size * size], size, self.last_cells(position)))
        return document(f"{self.title}: {position.text()}", width + HALF + EDGE, height + HALF + EDGE, parts)

    def _parts(self, cells: Any, size: int, marked: tuple[int, ...]) -> Iterator[str]:
        """The cells with their stones, and the names of columns and rows beside their own edges."""
        for cell, stone in enumerate(cells):
            x, y = self._centre(cell, size)
            corners = ((0, -5.8), (5, -2.9), (5, 2.9), (0, 5.8), (-5, 2.9), (-5, -2.9))
            path = "L".join(f"{x + dx:.1f} {y + dy:.1f}" for dx, dy in corners)
            yield tag("path", d=f"M{path}Z", fill="#f2c14e" if cell in marked else "#fbf7ee", stroke="#b9ab90")
            if stone:
                yield self.disc_svg(x, y, stone - 1)
        for at in range(size):
            for cell, dx, dy, name, seat in (
                (at, 0, 8, chr(LETTER_A + at), 0),
                (at * size, -8, 0, str(at + 1), 1),
            ):
                x, y = self._centre(cell, size)
                yield text(x + dx, y + dy, name, 4, fill=self.seat_colours[seat])
