"""The reversi board as a picture: dark discs for X (Black), light ones for O, the last move marked, the count below."""

from __future__ import annotations

from tabiya.games.board_setup import ShownBoard
from tabiya.games.picture import INK, Board, Place, document, piece_document, square_of, tag, text

FELT, LINES = "#2e7d5b", "#1f5f44"
DISCS = {"X": ("#1d1e20", "#3a3c40"), "O": ("#f7f4ec", "#cfc8b8")}  # fill, rim
WORDS = {"X": "dark disc", "O": "light disc"}
DOTS = ((2, 2), (6, 2), (2, 6), (6, 6))
COUNT_HEIGHT = 9.0


def places(position: ShownBoard) -> tuple[Place, ...]:
    """The squares."""
    squares = enumerate(position.text().partition(" ")[0])
    return _board().places({divmod(i, 8)[::-1]: WORDS[disc] for i, disc in squares if disc in WORDS})


def piece_picture(piece: str) -> str:
    """A disc."""
    return piece_document(WORDS[piece], FELT, [_disc(5, 5, piece)])


def _board() -> Board:
    return Board(8, 8, downwards=True)


def picture(position: ShownBoard) -> str:
    """The SVG document."""
    squares, _, side = position.text().partition(" ")
    board = _board()
    parts = [tag("rect", width=board.width, height=board.height + COUNT_HEIGHT, rx=2.5, fill="#e9dfcb")]
    parts += [*board.frame(), board.ground(FELT), board.lines(LINES, 0.4)]
    parts += [tag("circle", cx=6 + 10 * x, cy=6 + 10 * y, r=0.8, fill=LINES) for x, y in DOTS]
    parts += [_disc(*board.centre(i % 8, i // 8), disc) for i, disc in enumerate(squares) if disc in DISCS]
    if position.last_move and position.last_move != "pass":
        x, y = board.centre(*square_of(position.last_move))
        parts.append(tag("circle", cx=x, cy=y, r=1.1, fill="#e5533d"))
    x_discs, o_discs = squares.count("X"), squares.count("O")
    parts += [*_count(board, 0.32, "X", x_discs), *_count(board, 0.62, "O", o_discs)]
    parts += _to_move(board, side, over=position.outcome() is not None, passed=position.last_move == "pass")
    title = f"{position.game.title}, {x_discs} dark discs and {o_discs} light ones"
    return document(title, board.width, board.height + COUNT_HEIGHT, parts)


def _disc(x: float, y: float, disc: str, radius: float = 4.1) -> str:
    fill, rim = DISCS[disc]
    return tag("circle", cx=x, cy=y, r=radius, fill=fill, stroke=rim, stroke_width=radius / 7)


def _count(board: Board, at: float, disc: str, discs: int) -> list[str]:
    x, y = at * board.width, board.height + 3
    return [_disc(x, y, disc, 2.6), text(x + 4.5, y, str(discs), 5.2, text_anchor="start", font_weight="bold")]


def _to_move(board: Board, side: str, *, over: bool, passed: bool) -> list[str]:
    """A small triangle beside the count of the side to move, and the word `pass` after one."""
    x, y = (0.32 if side == "X" else 0.62) * board.width - 5.2, board.height + 3
    parts = (
        []
        if over
        else [
            tag(
                "path",
                d=f"M{x - 1.8:.2f} {y - 1.8:.2f}L{x + 1.2:.2f} {y:.2f}L{x - 1.8:.2f} {y + 1.8:.2f}Z",
                fill="#e5533d",
            )
        ]
    )
    if passed:
        parts.append(text(board.width - 7, y, "pass", 4, text_anchor="end", fill=INK))
    return parts
