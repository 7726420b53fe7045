"""The chessboard as a picture: men as simple paths of our own (fonts differ too much), last move and check marked."""

from __future__ import annotations

from tabiya.games.board_setup import ShownBoard
from tabiya.games.chess.san import is_check
from tabiya.games.picture import LETTERS, Board, Place, document, number, piece_document, square_of, tag
from tabiya.games.position import Position

LIGHT, DARK, CHECK = "#f0e6d2", "#b48c66", "#d9402f"
WHITE, BLACK = ("#fffdf6", "#2a2623"), ("#35302c", "#1b1816")  # fill, outline
NAMES = {"p": "pawn", "r": "rook", "n": "knight", "b": "bishop", "q": "queen", "k": "king"}
GLEAM = "#e8dfd0"  # the inner lines of black men
SCALE, MIDDLE = 10 / 40, (22.5, 21.9)  # of the paths: units a cell, what lies on the middle of a cell

BASE = "M10.5 39.5C10.5 36.5 13 35 16 34.5H29C32 35 34.5 36.5 34.5 39.5Z"
OUTLINES = {
    "p": "M22.5 8.5A5.6 5.6 0 0 1 26.4 18.2C28.6 18.7 28.8 21 27 22C28.3 27 29.6 31 30.4 34.5H14.6"
    "C15.4 31 16.7 27 18 22C16.2 21 16.4 18.7 18.6 18.2A5.6 5.6 0 0 1 22.5 8.5Z",
    "r": "M11.5 9H16.4V12.4H20.2V9H24.8V12.4H28.6V9H33.5V16.5L30.2 19.5L31.2 31L33 34.5H12L13.8 31L14.8 19.5"
    "L11.5 16.5Z",
    "n": "M13.6 34.5C13.6 29.5 16.2 26.4 20.6 22.8C17.8 24.4 15.6 24.6 13.9 27C12.4 28.9 8.6 27.8 8.9 25.1"
    "C9.2 22.4 12 19.6 13.2 16.2C13.8 14.3 13.5 11.8 14.1 8.6L18 11.2C19 10.6 20 10.3 21.2 10.2L23.3 6.9"
    "C24.8 8.2 25.4 9.6 25.6 10.9C32.4 13.2 34.8 23 33 34.5Z",
    "b": "M22.5 5.2A2.5 2.5 0 0 1 24.5 9.3C28.8 12.9 31.6 17.4 31.6 21.6C31.6 25 29.6 27.3 27.6 28.6L29.4 34.5H15.6"
    "L17.4 28.6C15.4 27.3 13.4 25 13.4 21.6C13.4 17.4 16.2 12.9 20.5 9.3A2.5 2.5 0 0 1 22.5 5.2Z",
    "q": "M22.5 6.3A2.6 2.6 0 0 1 24 11L27.3 20.6L30.8 12A2.6 2.6 0 1 1 33.6 12.1L33.3 22.2L37.4 16.4"
    "A2.5 2.5 0 1 1 39.5 17.4L34 30.5L33 34.5H12L11 30.5L5.5 17.4A2.5 2.5 0 1 1 7.6 16.4L11.7 22.2L11.4 12.1"
    "A2.6 2.6 0 1 1 14.2 12L17.7 20.6L21 11A2.6 2.6 0 0 1 22.5 6.3Z",
    "k": "M20.9 4.2H24.1V6.6H26.7V9.6H24.1V12.9C25.6 14 26.3 15.3 26.5 16.6C28.3 15.2 30.3 14.6 32.2 14.9"
    "C36.6 15.5 38.9 20 37 24.2C36 26.5 34 28.6 33.4 30.5L33 34.5H12L11.6 30.5C11 28.6 9 26.5 8 24.2"
    "C6.1 20 8.4 15.5 12.8 14.9C14.7 14.6 16.7 15.2 18.5 16.6C18.7 15.3 19.4 14 20.9 12.9V9.6H18.3V6.6H20.9Z",
}
DETAILS = {
    "p": "",
    "r": "M14.8 19.5H30.2M13.8 31H31.2",
    "n": "M16.6 15.6A.7.7 0 1 0 16.6 15.7M11.2 25.2L12.1 24.6M25.6 10.9C29.4 16 30.6 23 30 31.5",
    "b": "M22.5 14.5V22.5M18.7 18.3H26.3M17.4 28.6H27.6",
    "q": "M11 30.5C18 28.4 27 28.4 34 30.5",
    "k": "M11.6 30.5C18 28.4 27 28.4 33.4 30.5M22.5 17.5V26",
}


def places(position: ShownBoard, seat: int = 0) -> tuple[Place, ...]:
    """The squares."""
    men = _men(position.text().partition(" ")[0])
    return _board(seat).places({square: in_words(man) for square, man in men.items()})


def in_words(man: str) -> str:
    """A man of a FEN in words: `white pawn`."""
    return f"{'white' if man.isupper() else 'black'} {NAMES[man.lower()]}"


WORDS = {man: in_words(man) for man in "KQRBNPkqrbnp"}


def piece_picture(piece: str) -> str:
    """A man."""
    return piece_document(WORDS[piece], LIGHT, [f'<g transform="{_placed(5, 5)}">{_man(piece)}</g>'])


def _board(seat: int) -> Board:
    return Board(8, 8, turned=seat == 1)


def picture(position: ShownBoard, seat: int = 0) -> str:
    """The SVG document."""
    placement, side, *_ = position.text().split(" ")
    board, men = _board(seat), _men(placement)
    parts = [*board.frame(), board.ground(LIGHT), _dark_squares(board)]
    if position.last_move:
        squares = position.last_move[:2], position.last_move[2:4]
        parts += [board.mark(*square_of(square)) for square in squares]
    if isinstance(position, Position) and is_check(position.state):
        parts += [board.mark(x, y, CHECK, 0.6) for (x, y), man in men.items() if man == ("K" if side == "w" else "k")]
    parts += [_definitions(), *(_use(board, square, man) for square, man in men.items())]
    listed = ", ".join(f"{man} {LETTERS[x]}{y + 1}" for (x, y), man in men.items())
    to_move = "White" if side == "w" else "Black"
    return document(f"{position.game.title}, {to_move} to move: {listed}", board.width, board.height, parts)


def _men(placement: str) -> dict[tuple[int, int], str]:
    """The men of a FEN by column and row."""
    men = {}
    for down, rank in enumerate(placement.split("/")):
        column = 0
        for letter in rank:
            if letter.isdigit():
                column += int(letter)
            else:
                men[column, 7 - down] = letter
                column += 1
    return men


def _dark_squares(board: Board) -> str:
    corners = [board.corner(column, row) for column in range(8) for row in range(8) if (column + row) % 2 == 0]
    path = "".join(
        f"M{number(x)} {number(y)}h{number(board.CELL)}v{number(board.CELL)}h-{number(board.CELL)}z" for x, y in corners
    )
    return tag("path", d=path, fill=DARK)


def _definitions() -> str:
    """Each kind of man once, in both colours, under the letter FEN has for it."""
    return f"<defs>{''.join(_man(letter) for kind in OUTLINES for letter in (kind, kind.upper()))}</defs>"


def _man(letter: str) -> str:
    kind, white = letter.lower(), letter.isupper()
    fill, outline = WHITE if white else BLACK
    inner = outline if white else GLEAM
    body = tag("path", d=BASE + OUTLINES[kind], fill=fill, stroke=outline, stroke_width=1.5, stroke_linejoin="round")
    lines = tag(
        "path", d=DETAILS[kind] + "M14.6 34.5H30.4", fill="none", stroke=inner, stroke_width=1.3, stroke_linecap="round"
    )
    return f'<g id="{letter}">{body}{lines}</g>'


def _use(board: Board, square: tuple[int, int], man: str) -> str:
    return f'<use href="#{man}" transform="{_placed(*board.centre(*square))}"/>'


def _placed(x: float, y: float) -> str:
    return f"translate({number(x - SCALE * MIDDLE[0])} {number(y - SCALE * MIDDLE[1])}) scale({SCALE:.4f})"
