"""Random openings: a well-known line of eight plies, then one more move of each side, kept if nobody has lost material.

The lines give sound positions of all kinds, the two free plies give tens of thousands of different ones.
"""

from __future__ import annotations

import functools
from collections import defaultdict

from tabiya.games.chess.san import read_san
from tabiya.games.contract import Game
from tabiya.games.position import Position

LINES = """
e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6     | e4 e5 Nf3 Nc6 Bb5 Nf6 O-O Nxe4   | e4 e5 Nf3 Nc6 Bb5 d6 d4 Bd7
e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6     | e4 e5 Nf3 Nc6 Bc4 Nf6 d3 Be7     | e4 e5 Nf3 Nc6 Bc4 Nf6 Ng5 d5
e4 e5 Nf3 Nc6 d4 exd4 Nxd4 Nf6   | e4 e5 Nf3 Nc6 d4 exd4 Nxd4 Bc5   | e4 e5 Nf3 Nc6 Nc3 Nf6 Bb5 Bb4
e4 e5 Nf3 Nf6 Nxe5 d6 Nf3 Nxe4   | e4 e5 Nf3 Nf6 d4 Nxe4 Bd3 d5     | e4 e5 Nf3 d6 d4 Nf6 Nc3 Nbd7
e4 e5 Nc3 Nf6 f4 d5 fxe5 Nxe4    | e4 e5 f4 exf4 Nf3 d5 exd5 Nf6    | e4 e5 Bc4 Nf6 d3 c6 Nf3 d5
e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6    | e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 g6    | e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6
e4 c5 Nf3 e6 d4 cxd4 Nxd4 Nc6    | e4 c5 Nf3 e6 d4 cxd4 Nxd4 a6     | e4 c5 Nf3 Nc6 Bb5 g6 O-O Bg7
e4 c5 Nf3 d6 Bb5+ Bd7 Bxd7+ Qxd7 | e4 c5 c3 Nf6 e5 Nd5 d4 cxd4      | e4 c5 c3 d5 exd5 Qxd5 d4 Nf6
e4 c5 Nc3 Nc6 g3 g6 Bg2 Bg7      | e4 e6 d4 d5 Nc3 Bb4 e5 c5        | e4 e6 d4 d5 Nc3 Nf6 Bg5 Be7
e4 e6 d4 d5 Nd2 Nf6 e5 Nfd7      | e4 e6 d4 d5 e5 c5 c3 Nc6         | e4 e6 d4 d5 exd5 exd5 Nf3 Nf6
e4 e6 d4 d5 Nc3 dxe4 Nxe4 Nd7    | e4 c6 d4 d5 e5 Bf5 Nf3 e6        | e4 c6 d4 d5 Nc3 dxe4 Nxe4 Bf5
e4 c6 d4 d5 Nc3 dxe4 Nxe4 Nf6    | e4 c6 d4 d5 exd5 cxd5 c4 Nf6     | e4 c6 d4 d5 exd5 cxd5 Bd3 Nc6
e4 c6 Nc3 d5 Nf3 Bg4 h3 Bxf3     | e4 d5 exd5 Qxd5 Nc3 Qa5 d4 Nf6   | e4 d5 exd5 Nf6 d4 Nxd5 Nf3 g6
e4 Nf6 e5 Nd5 d4 d6 Nf3 g6       | e4 Nf6 e5 Nd5 d4 d6 Nf3 Bg4      | e4 d6 d4 Nf6 Nc3 g6 Nf3 Bg7
e4 d6 d4 Nf6 Nc3 g6 f4 Bg7       | e4 g6 d4 Bg7 Nc3 d6 Be3 a6       | d4 d5 c4 e6 Nc3 Nf6 Bg5 Be7
d4 d5 c4 e6 Nc3 Nf6 cxd5 exd5    | d4 d5 c4 e6 Nf3 Nf6 g3 Be7       | d4 d5 c4 e6 Nc3 c5 cxd5 exd5
d4 d5 c4 c6 Nf3 Nf6 Nc3 dxc4     | d4 d5 c4 c6 Nf3 Nf6 Nc3 e6       | d4 d5 c4 c6 cxd5 cxd5 Nc3 Nf6
d4 d5 c4 c6 Nf3 Nf6 e3 Bf5       | d4 d5 c4 dxc4 Nf3 Nf6 e3 e6      | d4 d5 c4 dxc4 e4 e5 Nf3 exd4
d4 d5 Nf3 Nf6 Bf4 c5 e3 Nc6      | d4 d5 Nf3 Nf6 e3 e6 Bd3 c5       | d4 Nf6 c4 e6 Nc3 Bb4 Qc2 O-O
d4 Nf6 c4 e6 Nc3 Bb4 e3 O-O      | d4 Nf6 c4 e6 Nf3 b6 g3 Ba6       | d4 Nf6 c4 e6 Nf3 Bb4+ Bd2 Qe7
d4 Nf6 c4 e6 g3 d5 Bg2 dxc4      | d4 Nf6 c4 g6 Nc3 Bg7 e4 d6       | d4 Nf6 c4 g6 Nc3 Bg7 Nf3 O-O
d4 Nf6 c4 g6 Nc3 d5 cxd5 Nxd5    | d4 Nf6 c4 g6 Nc3 d5 Nf3 Bg7      | d4 Nf6 c4 c5 d5 e6 Nc3 exd5
d4 Nf6 c4 c5 d5 b5 cxb5 a6       | d4 Nf6 Bg5 e6 e4 h6 Bxf6 Qxf6    | d4 Nf6 Nf3 g6 g3 Bg7 Bg2 O-O
d4 f5 g3 Nf6 Bg2 g6 Nf3 Bg7      | d4 f5 c4 Nf6 g3 e6 Bg2 Be7       | c4 e5 Nc3 Nf6 Nf3 Nc6 g3 d5
c4 e5 g3 Nf6 Bg2 d5 cxd5 Nxd5    | c4 c5 Nc3 Nc6 g3 g6 Bg2 Bg7      | c4 c5 Nf3 Nf6 Nc3 d5 cxd5 Nxd5
c4 Nf6 Nc3 e6 e4 d5 e5 d4        | Nf3 d5 g3 Nf6 Bg2 c6 O-O Bg4     | Nf3 d5 c4 e6 g3 Nf6 Bg2 Be7
b3 e5 Bb2 Nc6 e3 Nf6 Bb5 Bd6     | f4 d5 Nf3 g6 e3 Bg7 Be2 Nf6      | Nf3 Nf6 g3 g6 Bg2 Bg7 O-O O-O
"""
LINE_PLIES = 8
FREE_PLIES = 2
PAWN = 100
VALUES = (PAWN, 320, 330, 500, 950, 0, 0)  # by kind, the empty square at the end
DEEPEST_EXCHANGE = 6


def lines() -> list[list[str]]:
    """The lines, in SAN."""
    return [line.split() for row in LINES.strip().splitlines() for line in row.split("|")]


@functools.cache
def book(game: Game) -> dict[tuple[str, ...], tuple[str, ...]]:
    """From the moves so far to the moves that follow in the lines, each as often as lines have it."""
    following = defaultdict[tuple[str, ...], list[str]](list)
    for line in lines():
        position = game.start()
        for san in line:
            move = read_san(position, san)
            following[position.moves].append(move)
            position = position.play(move)
    return {moves: tuple(found) for moves, found in following.items()}


def opening_moves(game: Game, position: Position) -> tuple[str, ...]:
    """What a random opening may play next: a line of the book, then anything."""
    return book(game).get(position.moves) or position.legal_moves()


def is_level(position: Position) -> bool:
    """Whether, after all exchanges that pay, neither side is more than a pawn ahead."""
    return abs(lead(position) + exchange_gain(position, DEEPEST_EXCHANGE)) <= PAWN


def lead(position: Position) -> int:
    """The material of the side to move less the opponent's, in hundredths of a pawn."""
    state = position.state
    own = int(state.colours[position.to_move])
    values = [VALUES[kind] for kind in state.kinds.tolist()]
    return sum(value if own >> square & 1 else -value for square, value in enumerate(values))


def exchange_gain(position: Position, depth: int, most: int = 10_000) -> int:
    """The material that the side to move can win by captures, both sides playing the best ones; 0 if none pays.

    most: larger gains count as equal.
    """
    best = 0
    if depth == 0:
        return best
    kinds = position.state.kinds.tolist()
    for value, move in sorted(_captures(position, kinds), reverse=True):
        if value <= best or best >= most:
            break
        best = max(best, value - exchange_gain(position.play(move), depth - 1, value - best))
    return best


def _captures(position: Position, kinds: list[int]) -> list[tuple[int, str]]:
    """The captures, with the value of what they take; en passant and promotions left out."""
    own = int(position.state.colours[position.to_move])  # castling in Chess960 ends on a rook of one's own
    targets = [("abcdefgh".index(move[2]) + 8 * int(move[3]) - 8, move) for move in position.legal_moves()]
    return [(value, move) for square, move in targets if (value := VALUES[kinds[square]]) and not own >> square & 1]
