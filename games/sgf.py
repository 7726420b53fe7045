"""A finished game as SGF, the Smart Game Format FF[4], for games of stones on squares. Source: docs/sources.md#sgf

A game says in an `SgfNotation` which one of SGF's games it is; Black is seat 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from tabiya.games.endings import Ending
from tabiya.games.picture import square_of
from tabiya.games.position import Position
from tabiya.games.transcript import BOOK, ONGOING_RESULT, RESULTS, ROSTER, GameRecord

COLOURS = "BW"  # by seat
STONES = {"AB": "X", "AW": "O"}  # as boards write them
LETTERS = "abcdefghijklmnopqrst"
MOVES_IN_LINE = 10
SQUARE = re.compile(r"[a-t][0-9]{1,2}")  # other moves are passes
BANK = re.compile(r"(?:[0-9]+/)?([0-9.]+)(?:\+[0-9.]+)?")  # time controls with a bank of seconds
NAMED = {"EV": "Event", "GN": "Site", "RO": "Round"}  # properties that a tag's value is written as
_HOW: dict[str, str] = {
    Ending.RESIGNATION: "Resign",
    Ending.TIME: "Time",
    Ending.STALL: "Time",
    Ending.ABANDONED: "Forfeit",
    Ending.ILLEGAL_MOVES: "Forfeit",
}


class SgfBoard(NamedTuple):
    """A board with its stones. cells: row by row from row 1, `X` for Black, `O` for White."""

    columns: int
    rows: int
    cells: str


@dataclass(frozen=True, slots=True)
class SgfNotation:
    """How a game is written. game: its number in SGF.  board: of a position text.  rules: which of several.

    downwards: row 1 is the top one.  counts: the side with more stones at the end wins by the difference.
    """

    game: int
    board: Callable[[str], SgfBoard]
    rules: str = ""
    downwards: bool = False
    counts: bool = False

    def point(self, column: int, row: int, board: SgfBoard) -> str:
        """A square, both from 0: SGF's rows begin at the top."""
        return LETTERS[column] + LETTERS[row if self.downwards else board.rows - 1 - row]

    def move_point(self, move: str, board: SgfBoard) -> str:
        """The square of a move, nothing for a pass."""
        return self.point(*square_of(move), board) if SQUARE.fullmatch(move) else ""

    def stones(self, board: SgfBoard, stone: str) -> Iterator[str]:
        """Where these stones stand."""
        for at, cell in enumerate(board.cells):
            if cell == stone:
                yield self.point(at % board.columns, at // board.columns, board)


def write_sgf(start: Position, record: GameRecord, notation: SgfNotation, application: str) -> str:
    """`record`, whose start position is `start`, as SGF.  application: name and version of what writes it.

    Raises MoveFormatError or IllegalMove for moves that cannot be played.
    """
    board, nodes, position = notation.board(start.text()), [], start
    for ply, move in enumerate(record.moves):
        colour, after = COLOURS[position.to_move], position.play(move)
        nodes.append(f";{colour}[{notation.move_point(move, board)}]{_move_properties(record, ply, colour)}")
        position = after
    name, _, version = application.partition(" ")
    root = f";FF[4]GM[{notation.game}]CA[UTF-8]AP[{_simple(name, ':')}:{_simple(version, ':')}]SZ[{_size(board)}]"
    setup = "".join(_setup(start, board, notation))
    properties = "".join(f"\n{name}[{value}]" for name, value in _game_properties(record, notation, position))
    lines = ["".join(nodes[at : at + MOVES_IN_LINE]) for at in range(0, len(nodes), MOVES_IN_LINE)]
    return "\n".join([f"({root}{setup}{properties}", *lines]) + ")\n"


def _size(board: SgfBoard) -> str:
    return f"{board.columns}" if board.columns == board.rows else f"{board.columns}:{board.rows}"


def _setup(start: Position, board: SgfBoard, notation: SgfNotation) -> Iterator[str]:
    """The stones that stand before the first move, and who plays it where that is not plain."""
    for name, stone in STONES.items():
        if points := "".join(f"[{point}]" for point in notation.stones(board, stone)):
            yield f"\n{name}{points}"
    if start.to_move or set(board.cells) != {"-"}:
        yield f"PL[{COLOURS[start.to_move]}]"


def _game_properties(record: GameRecord, notation: SgfNotation, end: Position) -> Iterator[tuple[str, str]]:
    """The properties of the game as a whole."""
    tags = dict(record.tags)
    for name, player in zip(("PB", "PW"), record.players, strict=True):
        yield name, _simple(player)
    yield "RE", _result(record, notation, end)
    if (date := tags.pop("Date", ROSTER["Date"])) != ROSTER["Date"]:
        yield "DT", _simple(date.replace(".", "-"))
    yield from _time(tags.pop("TimeControl", ""))
    if notation.rules:
        yield "RU", _simple(notation.rules)
    for name, tag in NAMED.items():
        if (value := tags.pop(tag, ROSTER[tag])) != ROSTER[tag]:
            yield name, _simple(value)
    if record.ending is not None:
        tags["Ending"] = str(record.ending)
    if tags:
        yield "GC", "\n".join(_simple(f"{tag}: {value}") for tag, value in tags.items())


def _result(record: GameRecord, notation: SgfNotation, end: Position) -> str:
    """The result as SGF prescribes it."""
    if record.result == ONGOING_RESULT:
        return "Void" if record.ending == Ending.ABORTED else "?"
    if record.result not in RESULTS[:2]:
        return "Draw"
    how = _HOW.get(record.ending, "") if record.ending else ""
    if notation.counts and record.ending in end.game.endings:
        cells = notation.board(end.text()).cells
        how = str(abs(cells.count("X") - cells.count("O")))
    return f"{COLOURS[RESULTS.index(record.result)]}+{how}"


def _time(control: str) -> Iterator[tuple[str, str]]:
    """The seconds for the game, and the whole time control where it adds to them."""
    if bank := BANK.fullmatch(control):
        yield "TM", bank[1]
    if control not in ("", "none") and not control.endswith("+0"):
        yield "OT", _simple(control)


def _move_properties(record: GameRecord, ply: int, colour: str) -> str:
    """The properties of a move: the seconds left, and a comment."""
    clock_ms = record.clocks_ms[ply] if ply < len(record.clocks_ms) else None
    left = "" if clock_ms is None else f"{colour}L[{max(0, clock_ms) / 1000:.3f}]"
    words = [BOOK] if ply < record.opening_plies else []
    words += record.comments[ply : ply + 1]
    comment = _simple(" ".join(filter(None, words)))
    return left + (f"C[{comment}]" if comment else "")


def _simple(text: str, more: str = "") -> str:
    """A text on one line, with SGF's special characters escaped. more: further ones."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return re.sub(rf"([\\\]{more}])", r"\\\1", printable)
