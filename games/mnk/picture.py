"""The m,n,k board as a picture: crosses and rings, the last move marked, the winning line struck through."""

from __future__ import annotations

from tabiya.games.board_setup import ShownBoard
from tabiya.games.picture import PAPER, Board, Place, document, number, piece_document, square_of, tag

CROSS, RING, LINES, STRIKE = "#2166ac", "#c8442c", "#b9ab90", "#2b2a27"
STONES = {"X": "cross", "O": "ring"}
STEPS = ((1, 0), (0, 1), (1, 1), (1, -1))
Cell = tuple[int, int]


def places(position: ShownBoard) -> tuple[Place, ...]:
    """The cells."""
    size, cells, _ = position.text().split(" ")
    board = _board(size)
    stones = {divmod(i, board.columns)[::-1]: STONES[cell] for i, cell in enumerate(cells) if cell in STONES}
    return board.places(stones)


def _board(size: str) -> Board:
    columns, rows, _ = map(int, size.split("x"))
    return Board(columns, rows)


def piece_picture(piece: str) -> str:
    """A stone."""
    return piece_document(STONES[piece], PAPER, [_stone(5, 5, piece)])


def picture(position: ShownBoard) -> str:
    """The SVG document."""
    size, cells, side = position.text().split(" ")
    board, k = _board(size), int(size.split("x")[2])
    stones = {(i % board.columns, i // board.columns): stone for i, stone in enumerate(cells) if stone != "-"}
    parts = [*board.frame(), board.ground(PAPER)]
    if position.last_move:
        parts.append(board.mark(*square_of(position.last_move)))
    parts.append(board.lines(LINES, 0.35))
    parts += [_stone(*board.centre(*cell), stone) for cell, stone in stones.items()]
    line = winning_line(stones, k)
    if line:
        parts.append(_strike(board, line))
    played = f"{position.game.title}, {cells.count('X')} crosses and {cells.count('O')} rings"
    return document(f"{played}, {'a line' if line else side + ' to move'}", board.width, board.height, parts)


def _stone(x: float, y: float, stone: str) -> str:
    if stone == "O":
        return tag("circle", cx=x, cy=y, r=2.9, fill="none", stroke=RING, stroke_width=1.5)
    reach = 2.7
    left, right, top, bottom = map(number, (x - reach, x + reach, y - reach, y + reach))
    cross = f"M{left} {top}L{right} {bottom}M{left} {bottom}L{right} {top}"
    return tag("path", d=cross, stroke=CROSS, stroke_width=1.7, stroke_linecap="round")


def winning_line(stones: dict[Cell, str], k: int) -> list[Cell]:
    """The cells of a line of k or more equal stones, from end to end; empty if there is none."""
    for (x, y), stone in stones.items():
        for dx, dy in STEPS:
            line = [(x, y)]
            while stones.get((line[-1][0] + dx, line[-1][1] + dy)) == stone:
                line.append((line[-1][0] + dx, line[-1][1] + dy))
            if len(line) >= k and stones.get((x - dx, y - dy)) != stone:
                return line
    return []


def _strike(board: Board, line: list[Cell]) -> str:
    (x1, y1), (x2, y2) = board.centre(*line[0]), board.centre(*line[-1])
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=STRIKE, stroke_width=0.9, stroke_linecap="round", opacity=0.7)
