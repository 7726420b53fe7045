"""Castling rights as text, and boards set up by hand: X-FEN and Shredder-FEN, in plain Python.

`board` is as of `read_fields` (games/chess/fen.py): 64 letters from a1.
"""

from __future__ import annotations

from collections.abc import Iterable

from tabiya.games.board_setup import Switch
from tabiya.games.chess.board_setup import CASTLING, placement
from tabiya.games.chess.fen import read_fields
from tabiya.games.errors import PositionError, shown
from tabiya.games.picture import square_of

FILES = "ABCDEFGH"
LETTERS = frozenset(FILES + FILES.lower()).union(CASTLING)


def read_rooks(text: str, board: str) -> int:
    """The set of the rooks that FEN's third field lets castle. Raises PositionError."""
    if text == "-":
        return 0
    if not text or set(text) - LETTERS:
        raise PositionError(
            f"castling rights are - or some of KQkq and of the files A to H, small for Black, not {shown(text)}"
        )
    for right in text:
        if rook_square(right, board) is None:
            raise PositionError(f"the castling right {right} needs king and rook on their first rank")
    rooks = rooks_of(text, board)
    if len({_wing(rook, board) for rook in rooks}) < len(text):
        raise PositionError(f"on each side of a king one rook may castle, not more: {shown(text)}")
    return sum(1 << rook for rook in rooks)


def rook_square(right: str, board: str) -> int | None:
    """Where the rook of a castling right stands; None if it or its king is not on the first rank of their side."""
    seat = int(right.islower())
    rank, rook = board[56 * seat : 56 * seat + 8], "Rr"[seat]
    king = rank.find("Kk"[seat])
    if king < 0:
        return None
    if right in "Kk":
        file = rank.rfind(rook, king)
    elif right in "Qq":
        file = rank.find(rook, 0, king)
    else:
        file = FILES.index(right.upper())
        file = file if rank[file] == rook else -1
    return None if file < 0 else 56 * seat + file


def rooks_of(text: str, board: str) -> set[int]:
    """The squares of the rooks that a third field names and that stand on the board."""
    found = (rook_square(right, board) for right in text if right in LETTERS)
    return {rook for rook in found if rook is not None}


def write_rooks(rooks: Iterable[int], board: str) -> str:
    """FEN's third field for castling with the rooks on these squares; those without rook or king are left out."""
    standing = (rook for rook in rooks if rook_square(_file(rook), board) is not None)
    return "".join(_right(rook, board) for rook in sorted(standing, key=lambda rook: (rook > 7, -rook))) or "-"


def put_man(fen: str, square: str, man: str) -> str:
    """The FEN with a man, or none, on a square: castling rights vanish with their king or rook, none is added."""
    board, side, castling, _, _, fullmove = read_fields(fen)
    column, row = square_of(square)
    rooks = rooks_of(castling, board) - {8 * row + column}
    board = board[: 8 * row + column] + man + board[8 * row + column + 1 :]
    return f"{placement(board)} {side} {write_rooks(rooks, board)} - 0 {fullmove}"


def castling_switches(fen: str) -> tuple[Switch, ...]:
    """The right of each side of each king where a rook stands."""
    board, _, castling, *_ = read_fields(fen)
    wings = {_wing(rook, board) for rook in rooks_of(castling, board)}
    outermost = ((right, rook_square(right, board)) for right in CASTLING)
    return tuple(
        Switch(right, CASTLING[right], _wing(rook, board) in wings) for right, rook in outermost if rook is not None
    )


def turn_right(fen: str, right: str) -> str:
    """The FEN without the castling right of this wing or, if there is none, with that of the outermost rook."""
    board, side, castling, *others = read_fields(fen)
    rooks, outermost = rooks_of(castling, board), rook_square(right, board)
    assert outermost is not None  # it is one of the board's switches
    wing = {rook for rook in rooks if _wing(rook, board) == _wing(outermost, board)}
    rooks = rooks - wing if wing else rooks | {outermost}
    return " ".join([placement(board), side, write_rooks(rooks, board), *others])


def _wing(rook: int, board: str) -> tuple[bool, bool]:
    """Whether a rook is Black's, and whether on its king's short side."""
    home = rook // 8 * 8
    return home > 0, rook > board.index("k" if home else "K", home)


def _right(rook: int, board: str) -> str:
    return next((right for right in CASTLING if rook_square(right, board) == rook), _file(rook))


def _file(rook: int) -> str:
    file = FILES[rook % 8]
    return file.lower() if rook > 7 else file
