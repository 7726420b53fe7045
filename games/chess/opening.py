"""Which random openings of chess are worth playing: judged by material alone."""

from __future__ import annotations

from games.position import Position

VALUES = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9}


def is_fair(position: Position) -> bool:
    """Whether material is level, both may still castle on both sides, and no single capture wins material."""
    men, _, castling = position.text().split(" ")[:3]
    white = sum(value * men.count(man.upper()) for man, value in VALUES.items())
    black = sum(value * men.count(man) for man, value in VALUES.items())
    if white != black or castling != "KQkq":
        return False
    board = men_by_square(men)
    return all(gain(position, board, move) <= 0 for move in position.legal_moves() if move[2:4] in board)


def men_by_square(men: str) -> dict[str, str]:
    """The first field of a FEN as a dictionary from squares to men."""
    found = {}
    for rank, row in zip("87654321", men.split("/"), strict=True):
        column = 0
        for letter in row:
            if letter.isdigit():
                column += int(letter)
            else:
                found["abcdefgh"[column] + rank] = letter.lower()
                column += 1
    return found


def gain(position: Position, board: dict[str, str], capture: str) -> int:
    """What a capture wins in pawns, less the capturing man if it can be taken in turn."""
    origin, target = capture[:2], capture[2:4]
    taken_back = any(reply[2:4] == target for reply in position.play(capture).legal_moves())
    return VALUES[board[target]] - (VALUES.get(board[origin], 0) if taken_back else 0)
