"""Standard algebraic notation, the moves as people write them: `Nf3`, `exd5`, `O-O`, `e8=Q+`, `Rad1#`.

Written in the one canonical way; read generously: `+`, `#`, `x`, `=` and annotations such as `!?` may be missing or
wrong, castling may be written with zeros, and more of the origin may be named than is needed.
"""

from __future__ import annotations

import re
from typing import Any

from tabiya.games.chess.board import in_check
from tabiya.games.compiled.jit import njit
from tabiya.games.endings import Ending
from tabiya.games.errors import IllegalMove, MoveFormatError, shown
from tabiya.games.position import Position

LETTERS = "PNBRQK"  # by kind
KING = LETTERS.index("K")
CASTLING = re.compile(r"([O0o]-[O0o](-[O0o])?)[+#]?[!?]*")
MOVE = re.compile(
    r"(?P<kind>[NBRQK])?(?P<file>[a-h])?(?P<rank>[1-8])?[x-]?(?P<target>[a-h][1-8])"
    r"(?:=?(?P<promotion>[NBRQnbrq]))?(?:e\.?p\.?)?[+#]?[!?]*"
)


@njit(cache=True)
def is_check(state: Any) -> bool:
    """Whether the side to move is in check; to be called from Python."""
    return bool(in_check(state))


def write_san(position: Position, move: str, after: Position | None = None) -> str:
    """The legal move `move` (UCI) in algebraic notation. Raises IllegalMove or MoveFormatError.

    after: the position after it, where that is known.
    """
    after = after or position.play(move)
    ending = after.outcome()
    if ending is not None and ending.ending == Ending.CHECKMATE:
        return _without_check(position, move) + "#"
    return _without_check(position, move) + ("+" if is_check(after.state) else "")


def _without_check(position: Position, move: str) -> str:
    kinds = position.state["kinds"].tolist()
    origin, target = _square(move[:2]), _square(move[2:4])
    kind = kinds[origin]
    if kind == KING and is_castling(position, move):
        return "O-O" if target > origin else "O-O-O"
    if kind == LETTERS.index("P"):
        capture = f"{move[0]}x" if move[0] != move[2] else ""
        promotion = f"={move[4].upper()}" if len(move) == 5 else ""
        return f"{capture}{move[2:4]}{promotion}"
    capture = "x" if kinds[target] < len(LETTERS) else ""
    return f"{LETTERS[kind]}{_origin(position, kinds, move)}{capture}{move[2:4]}"


def is_castling(position: Position, move: str) -> bool:
    """Whether a legal move is castling: the king's by two squares or, in Chess960, onto its own rook."""
    state, origin, target = position.state, _square(move[:2]), _square(move[2:4])
    is_own = int(state.colours[position.to_move]) >> target & 1
    return int(state.kinds[origin]) == KING and (bool(is_own) or abs(origin - target) == 2)


def _square(name: str) -> int:
    return "abcdefgh".index(name[0]) + 8 * int(name[1]) - 8


def _origin(position: Position, kinds: list[int], move: str) -> str:
    """As much of the origin as tells this move from those of other pieces of its kind."""
    kind = kinds[_square(move)]
    others = [
        other[:2]
        for other in position.legal_moves()
        if other[2:4] == move[2:4] and other[:2] != move[:2] and kinds[_square(other)] == kind
    ]
    if not others:
        return ""
    if all(other[0] != move[0] for other in others):
        return move[0]
    if all(other[1] != move[1] for other in others):
        return move[1]
    return move[:2]


def read_san(position: Position, text: str) -> str:
    """The legal move (UCI) that `text` means. Raises MoveFormatError for what is no move, IllegalMove otherwise."""
    castling = CASTLING.fullmatch(text)
    if castling:
        found = _castling(position, is_long=castling[2] is not None)
    else:
        match = MOVE.fullmatch(text)
        if match is None:
            raise MoveFormatError(f"{shown(text)} is not a move in algebraic notation, such as Nf3, exd5, O-O or e8=Q")
        found = _matching(position, match)
    if len(found) == 1:
        return found[0]
    if not found:
        raise IllegalMove(f"{shown(text)} is not legal in {position.text()}")
    if len({move[:2] for move in found}) == 1:
        raise IllegalMove(f"{shown(text)} must name the new piece, such as {text.rstrip('+#!?')}=Q")
    meant = " or ".join(sorted(write_san(position, move) for move in found))
    raise IllegalMove(f"{shown(text)} can mean {meant} in {position.text()}")


def _castling(position: Position, *, is_long: bool) -> list[str]:
    return [move for move in position.legal_moves() if is_castling(position, move) and (move[2] < move[0]) == is_long]


def _matching(position: Position, match: re.Match[str]) -> list[str]:
    """The legal moves that agree with everything `text` says; castling is not written as a king's move."""
    kinds = position.state["kinds"].tolist()
    kind = LETTERS.index(match["kind"] or "P")
    promotion = (match["promotion"] or "").lower()
    return [
        move
        for move in position.legal_moves()
        if move[2:4] == match["target"]
        and kinds[_square(move)] == kind
        and match["file"] in (None, move[0])
        and match["rank"] in (None, move[1])
        and (move[4:] == promotion or (not promotion and kind == 0))
        and not (kind == KING and is_castling(position, move))
    ]
