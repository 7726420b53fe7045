"""What games on a board of cells have in common: texts, drawings and pictures. For packages; our games have their own.

A position is written row by row, the top one first, then who is to move: `---/-X-/--- O`. Cells are numbered row by row
from a1, the lower left one: cell = row * columns + column. A cell is 0 if it is empty, else the number of its symbol.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from tabiya.games.board_setup import BoardSetup, ShownBoard
from tabiya.games.compiled.bits import U, mix
from tabiya.games.compiled.jit import njit
from tabiya.games.contract import Game, OptionValue
from tabiya.games.errors import PositionError, shown
from tabiya.games.picture import (
    EMPTY,
    INK,
    LAST,
    PAPER,
    Board,
    Place,
    document,
    piece_document,
    places_of,
    square_of,
    tag,
)
from tabiya.games.rules import State

SLASH, BLANK, NOTHING = 47, 32, "-"


def grid_state(columns: int, rows: int, *more: tuple[Any, ...]) -> np.dtype[Any]:
    """The record of such a game. more: fields of its own, as of a NumPy dtype."""
    return np.dtype([("cells", np.int8, (columns * rows,)), ("side", np.int64), *more], align=True)


@njit
def write_grid(state: Any, columns: Any, symbols: Any, out: Any) -> Any:
    """Write the position text; return its length. symbols: uint8, what stands for 0, 1, 2 and so on."""
    at = 0
    for row in range(len(state.cells) // columns - 1, -1, -1):
        for column in range(columns):
            out[at] = symbols[state.cells[row * columns + column]]
            at += 1
        out[at] = SLASH if row > 0 else BLANK
        at += 1
    out[at] = symbols[1 + state.side]
    return at + 1


class GridGame(Game):
    """A game whose position is its cells and who is to move.

    symbols: of what stands on cells, a character each; the first two stand for the seats, too.  numbers: the same as
    bytes with the empty cell before, for `write_grid`.
    """

    columns: ClassVar[int]
    rows: ClassVar[int]
    symbols: ClassVar[str]
    colours: ClassVar[Mapping[str, str]] = MappingProxyType({})  # of discs in the picture, by symbol; else the seats'

    def check(self, state: State) -> str:
        """What no game can have led to in this position, in a few words; "" if there is nothing. Raises nothing."""
        return ""

    def to_move(self, state: State) -> Any:
        return np.int64(state.side)

    def can_win(self, state: State, seat: int) -> Any:
        return True

    def key(self, state: State) -> Any:
        h = U(state.side + 1)
        for cell in state.cells:
            h = mix(h ^ U(cell))
        return h

    def same(self, state: State, other: State) -> Any:
        for at in range(len(state.cells)):
            if state.cells[at] != other.cells[at]:
                return False
        return state.side == other.side

    def repeats(self, state: State) -> Any:
        return 0

    def start_state(self, options: Mapping[str, OptionValue]) -> State:
        return self.new_state()

    def parse_state(self, text: str) -> State:
        state = self._read(text)
        if wrong := self.check(state):
            raise PositionError(f"{wrong}: {text}")
        return state

    def _read(self, text: str) -> State:
        """Cells and side alone. Raises PositionError."""
        board, _, side = text.partition(" ")
        rows, state = board.split("/"), self.new_state()
        if len(rows) != self.rows or any(len(row) != self.columns for row in rows):
            raise PositionError(f"a board has {self.rows} rows of {self.columns} cells, not {shown(board)}")
        if set(board) - {*self.symbols, NOTHING, "/"} or side not in (*self.symbols[:2],):
            known = " ".join((*self.symbols, NOTHING))
            raise PositionError(f"cells are {known}, and who is to move {' or '.join(self.symbols[:2])}: {shown(text)}")
        state.side = self.symbols.index(side)
        for at, symbol in enumerate("".join(reversed(rows))):
            state.cells[at] = self.symbols.find(symbol) + 1
        return state

    def parse_setup(self, text: str) -> BoardSetup:
        return BoardSetup(self, text, int(self._read(text).side))

    def put_piece(self, text: str, place: str, piece: str) -> str:
        column, row = square_of(place)
        at = (self.rows - 1 - row) * (self.columns + 1) + column
        return f"{text[:at]}{NOTHING if piece == EMPTY else piece}{text[at + 1 :]}"

    def put_mover(self, text: str, seat: int) -> str:
        return f"{text[:-1]}{self.symbols[seat]}"

    def piece_svg(self, piece: str) -> str:
        return piece_document(self.pieces[piece], PAPER, [self._disc(5, 5, self.symbols.index(piece))])

    def _symbol(self, state: State, column: int, row: int) -> str:
        return f"{NOTHING}{self.symbols}"[state.cells[row * self.columns + column]]

    def draw(self, state: State) -> str:
        cells = [[self._symbol(state, column, row) for column in range(self.columns)] for row in range(self.rows)]
        rows = [f"{number:>2} {' '.join(row)}" for number, row in enumerate(cells, 1)]
        letters = "   " + " ".join("abcdefghijklmnopqrstuvwxyz"[: self.columns])
        return "\n".join([*reversed(rows), letters]).replace(NOTHING, ".")

    def last_cells(self, position: ShownBoard) -> tuple[int, ...]:
        """The cells that the picture marks: those that the last move is about; by default the places it names."""
        places = {place.name: place for place in self.places(position)}
        return tuple([*places].index(place.name) for place in places_of(position.last_move or "", places))

    def places(self, position: ShownBoard, seat: int = 0) -> tuple[Place, ...]:
        board, state = Board(self.columns, self.rows), self._read(position.text())
        words = (EMPTY, *(self.pieces[symbol] for symbol in self.symbols))
        cells = enumerate(state.cells)
        return board.places({(at % self.columns, at // self.columns): words[cell] for at, cell in cells if cell})

    def svg(self, position: ShownBoard, seat: int = 0) -> str:
        board, state = Board(self.columns, self.rows), self._read(position.text())
        parts, marked = [*board.frame(), board.ground(PAPER)], self.last_cells(position)
        parts += [board.mark(at % self.columns, at // self.columns, LAST) for at in marked]
        parts.append(board.lines("#b9ab90", 0.35))
        for at, cell in enumerate(state.cells):
            if cell:
                parts.append(self._disc(*board.centre(at % self.columns, at // self.columns), cell - 1))
        return document(f"{self.title}: {position.text()}", board.width, board.height, parts)

    def _disc(self, x: float, y: float, symbol: int) -> str:
        """symbol: its index."""
        fill = self.colours.get(self.symbols[symbol], self.seat_colours[symbol % 2])
        return tag("circle", cx=x, cy=y, r=3.8, fill=fill, stroke=INK, stroke_width=0.4)
