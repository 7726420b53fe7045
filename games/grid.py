"""What games on a board of cells have in common: texts, drawings and pictures. For packages; our games have their own.

A position is written row by row, the top one first, then who is to move: `---/-X-/--- O`. Cells are numbered row by row
from a1, the lower left one: cell = row * columns + column. A cell is 0 if it is empty, else the number of its symbol.

Numbers that a position has beside its cells, such as stones in hand, stand behind who is to move: `---/-X-/--- O 2 0`.

A game has one size, or options for it: `size`, cells a side of a square, or `columns` and `rows`. Then its record has
fields `columns` and `rows`, only the first columns * rows cells are in use, and the others are 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tabiya.games.board_setup import BoardSetup, ShownBoard
from tabiya.games.compiled.bits import U, mix
from tabiya.games.compiled.decimal import write_number
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
from tabiya.games.rules import Rules, State

LETTER_A, SLASH, BLANK, NOTHING = 97, 47, 32, "-"


class Number(NamedTuple):
    """A number of each position.  about: in words, such as "stones in White's hand".  start, most: it is 0 or more."""

    about: str
    start: int
    most: int


def grid_state(columns: int, rows: int, *more: tuple[Any, ...], numbers: int = 0) -> np.dtype[Any]:
    """The record of such a game. more: fields of its own, as of a NumPy dtype.  numbers: how many `numbers` it has."""
    ours = [("cells", np.int8, (columns * rows,)), ("side", np.int64), ("numbers", np.int64, (numbers,))]
    return np.dtype([*ours, *more], align=True)


@njit
def write_cell(cell: Any, columns: Any, out: Any, at: Any) -> Any:
    """Write the name of a cell, such as c3, from index `at`; return the index after it."""
    out[at] = LETTER_A + cell % columns
    return write_number(cell // columns + 1, out, at + 1)


@njit
def write_grid(state: Any, columns: Any, symbols: Any, out: Any) -> Any:
    """Write the position text of a board of one size; return its length. symbols: uint8, what stands for 0, 1, 2 …"""
    return _write_rows(state, columns, len(state.cells) // columns, symbols, out)


@njit
def write_sized_grid(state: Any, symbols: Any, out: Any) -> Any:
    """The same for a board with its size in the record."""
    return _write_rows(state, state.columns, state.rows, symbols, out)


@njit
def _write_rows(state: Any, columns: Any, rows: Any, symbols: Any, out: Any) -> Any:
    at = 0
    for row in range(rows - 1, -1, -1):
        for column in range(columns):
            out[at] = symbols[state.cells[row * columns + column]]
            at += 1
        out[at] = SLASH if row > 0 else BLANK
        at += 1
    out[at] = symbols[1 + state.side]
    at += 1
    for number in state.numbers:
        out[at] = BLANK
        at = write_number(number, out, at + 1)
    return at


def _writers(symbols: str, columns: int | None) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The methods `write_state` and `write_move` of a board of so many columns, or of those that the record has."""
    letters = np.frombuffer(f"{NOTHING}{symbols}".encode("ascii"), np.uint8)

    class Texts:
        def write_state(self, state: State, out: Any) -> Any:
            if columns is None:
                return write_sized_grid(state, letters, out)
            return write_grid(state, columns, letters, out)

        def write_move(self, state: State, move: int, out: Any, at: int) -> Any:
            cells, width = len(state.cells), state.columns if columns is None else columns
            if move >= cells:
                at = write_cell(move // cells - 1, width, out, at)
            return write_cell(move % cells, width, out, at)

    return Texts.write_state, Texts.write_move


def _span(bounds: tuple[int, int]) -> str:
    return " to ".join(map(str, sorted(set(bounds))))


class GridGame(Game):
    """A game whose position is its cells, who is to move, and its numbers if it has any.

    symbols: of what stands on cells, a character each; the first two stand for the seats, too.
    Its texts, which a class may write itself: a move whose number is a cell's is its name; one whose number is
    (1 + from) * len(cells) + to is the names of two.
    """

    columns: ClassVar[int]  # of the board, or of the largest
    rows: ClassVar[int]
    symbols: ClassVar[str]
    numbers: ClassVar[tuple[Number, ...]] = ()
    colours: ClassVar[Mapping[str, str]] = MappingProxyType({})  # of discs in the picture, by symbol; else the seats'

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not all(hasattr(cls, name) for name in ("state", "columns", "rows", "symbols")):
            return
        if (room := cls.state["numbers"].shape[0]) != len(cls.numbers):
            raise TypeError(f"{cls.__qualname__}.numbers are {len(cls.numbers)}; its grid_state has numbers={room}")
        if vars(cls).keys() & {"state", "columns", "rows", "symbols", "numbers"}:
            for method in _writers(cls.symbols, None if cls._has_sizes() else cls.columns):
                if getattr(cls, method.__name__).__module__ in (__name__, Rules.__module__):
                    setattr(cls, method.__name__, method)
            if "max_text" not in vars(cls):
                digits = sum(1 + len(str(number.most)) for number in cls.numbers)
                cls.max_text = (cls.columns + 1) * cls.rows + 1 + digits

    def check(self, state: State) -> str:
        """Why no game can lead to this position, in a few words; "" if one can. Raises nothing."""
        return ""

    def key(self, state: State) -> Any:
        h = U(state.side + 1)
        for cell in state.cells:
            h = mix(h ^ U(cell))
        for number in state.numbers:
            h = mix(h ^ U(number))
        return h

    def same(self, state: State, other: State) -> Any:
        for at in range(len(state.cells)):
            if state.cells[at] != other.cells[at]:
                return False
        for at in range(len(state.numbers)):
            if state.numbers[at] != other.numbers[at]:
                return False
        return state.side == other.side

    def piece_on(self, state: State, cell: int) -> Any:
        return np.int64(state.cells[cell]) - 1

    def cell_numbers(self, places: Sequence[str]) -> Sequence[int]:
        """By their names, where the board has one size, so that `places` may leave cells out; else from 0 on."""
        if self._has_sizes():
            return super().cell_numbers(places)
        return [row * self.columns + column for column, row in map(square_of, places)]

    def start_state(self, options: Mapping[str, OptionValue]) -> State:
        """An empty board: of the options `columns` and `rows`, of `size` for both, or of the class."""
        size = options.get("size")
        columns, rows = options.get("columns", size or self.columns), options.get("rows", size or self.rows)
        return self.empty_state(int(columns), int(rows))

    def empty_state(self, columns: int, rows: int) -> State:
        """An empty board of this size. Raises PositionError for one that the game does not have."""
        bounds = {option.name: (option.low, option.high) for option in self.options}
        is_square = "size" in bounds
        wide, high = (
            bounds.get("size" if is_square else name, (most, most))
            for name, most in (("columns", self.columns), ("rows", self.rows))
        )
        if not (wide[0] <= columns <= wide[1] and high[0] <= rows <= high[1]) or (is_square and columns != rows):
            usual = "as many cells" if is_square else f"{_span(wide)} cells"
            raise PositionError(f"a board has {_span(high)} rows of {usual}, not {rows} of {columns}")
        state = self.new_state()
        if self._has_sizes():
            state.columns, state.rows = columns, rows
        state.numbers[:] = [number.start for number in self.numbers]
        return state

    @classmethod
    def _has_sizes(cls) -> bool:
        return "columns" in (cls.state.names or ())

    def size_of(self, state: State) -> tuple[int, int]:
        """Columns and rows of a position."""
        return (int(state.columns), int(state.rows)) if self._has_sizes() else (self.columns, self.rows)

    def parse_state(self, text: str) -> State:
        state = self.read_cells(text)
        if wrong := self.check(state):
            raise PositionError(f"{wrong}: {text}")
        return state

    def read_cells(self, text: str) -> State:
        """Cells, side and numbers alone. Raises PositionError."""
        board, _, rest = text.partition(" ")
        side, *numbers = rest.split(" ")
        rows = board.split("/")
        state = self.empty_state(len(rows[0]), len(rows))
        if any(len(row) != len(rows[0]) for row in rows):
            raise PositionError(f"the rows of a board are equally long: {shown(board)}")
        if set(board) - {*self.symbols, NOTHING, "/"} or side not in (*self.symbols[:2],):
            known = " ".join((*self.symbols, NOTHING))
            raise PositionError(f"cells are {known}, and who is to move {' or '.join(self.symbols[:2])}: {shown(text)}")
        state.side = self.symbols.index(side)
        for at, symbol in enumerate("".join(reversed(rows))):
            state.cells[at] = self.symbols.find(symbol) + 1
        state.numbers[:] = self._read_numbers(numbers, text)
        return state

    def _read_numbers(self, given: list[str], text: str) -> list[int]:
        fits = len(given) == len(self.numbers) and all(
            each.isascii() and each.isdigit() and len(each) <= 9 and int(each) <= number.most
            for each, number in zip(given, self.numbers, strict=True)
        )
        if not fits:
            told = ", ".join(f"{about} (0 to {most})" for about, _, most in self.numbers) or "nothing"
            raise PositionError(f"behind who is to move stand: {told}; not {shown(text)}")
        return [*map(int, given)]

    def parse_setup(self, text: str) -> BoardSetup:
        return BoardSetup(self, text, int(self.read_cells(text).side))

    def put_piece(self, text: str, place: str, piece: str) -> str:
        column, row = square_of(place)
        rows = text.partition(" ")[0].split("/")
        at = (len(rows) - 1 - row) * (len(rows[0]) + 1) + column
        return f"{text[:at]}{NOTHING if piece == EMPTY else piece}{text[at + 1 :]}"

    def put_mover(self, text: str, seat: int) -> str:
        board, _, rest = text.partition(" ")
        return f"{board} {self.symbols[seat]}{rest[1:]}"

    def piece_svg(self, piece: str) -> str:
        return piece_document(self.pieces[piece], PAPER, [self.disc_svg(5, 5, self.symbols.index(piece))])

    def draw(self, state: State) -> str:
        columns, rows = self.size_of(state)
        symbols = [f"{NOTHING}{self.symbols}"[cell] for cell in state.cells]
        lines = [f"{row + 1:>2} {' '.join(symbols[row * columns : (row + 1) * columns])}" for row in range(rows)]
        letters = "   " + " ".join("abcdefghijklmnopqrstuvwxyz"[:columns])
        numbers = [f"   {value} {number.about}" for value, number in zip(state.numbers, self.numbers, strict=True)]
        return "\n".join([*reversed(lines), letters]).replace(NOTHING, ".") + "".join(f"\n{each}" for each in numbers)

    def last_cells(self, position: ShownBoard) -> tuple[int, ...]:
        """The cells that the picture marks: those that the last move is about; by default the places it names."""
        places = {place.name: place for place in self.places(position)}
        numbers = dict(zip(places, self.cell_numbers([*places]), strict=True))
        return tuple(numbers[place.name] for place in places_of(position.last_move or "", places))

    def places(self, position: ShownBoard, seat: int = 0) -> tuple[Place, ...]:
        state = self.read_cells(position.text())
        columns, rows = self.size_of(state)
        words = (EMPTY, *(self.pieces[symbol] for symbol in self.symbols))
        cells = enumerate(state.cells)
        held = {(at % columns, at // columns): words[cell] for at, cell in cells if cell}
        return Board(columns, rows).places(held)

    def svg(self, position: ShownBoard, seat: int = 0) -> str:
        state = self.read_cells(position.text())
        columns, rows = self.size_of(state)
        board = Board(columns, rows)
        parts, marked = [*board.frame(), board.ground(PAPER)], self.last_cells(position)
        parts += [board.mark(at % columns, at // columns, LAST) for at in marked]
        parts.append(board.lines("#b9ab90", 0.35))
        for at, cell in enumerate(state.cells):
            if cell:
                parts.append(self.disc_svg(*board.centre(at % columns, at // columns), cell - 1))
        return document(f"{self.title}: {position.text()}", board.width, board.height, parts)

    def disc_svg(self, x: float, y: float, symbol: int) -> str:
        """A disc, as a tag of a picture. x, y: its centre, in the picture's units.  symbol: its index in `symbols`."""
        fill = self.colours.get(self.symbols[symbol], self.seat_colours[symbol % 2])
        return tag("circle", cx=x, cy=y, r=3.8, fill=fill, stroke=INK, stroke_width=0.4)
