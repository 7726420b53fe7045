"""Random games played with our rules and python-chess side by side, from the start and from odd positions."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import chess

from tabiya.games.contract import Game
from tabiya.games.position import Position
from tabiya.games.registry import load_game

CHESS = load_game("chess")

# positions that lead where games from the start seldom go
ODD = (
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",  # everything at once
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",  # pins along the rank, en passant among them
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",  # promotions, castling through checks
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",  # promotions everywhere
    "8/PPPPPPPP/8/2k5/8/5K2/pppppppp/8 w - - 0 1",
    "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",  # many double steps
    "8/8/8/1k3pPp/1p6/P1PpP2K/8/8 w - f6 0 1",
    "8/6p1/7k/8/1p1pR3/8/P1P1P2K/B6b w - - 0 1",  # double steps before sliders
    "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1",
    "2r1k2r/8/8/8/8/8/8/R3K1R1 b k - 3 40",
    "r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1",  # castling under fire
    "QQQQQQBk/Q6B/8/8/8/8/7p/6BK w - - 0 90",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",  # 218 moves
    "8/8/4k3/8/8/3K4/8/6R1 w - - 88 60",  # fifty moves come near
    "8/8/4k3/8/2B5/3K4/8/6N1 b - - 95 160",
    "8/8/8/8/8/1k6/1p6/1K6 w - - 0 1",
    "k7/8/1K6/8/8/8/7B/8 w - - 0 1",  # too little to mate
    "k7/1p6/1K6/8/8/8/7B/8 w - - 0 1",
    "5k2/8/8/8/8/3n4/6p1/3K4 b - - 0 1",
    "8/8/1b6/3k4/8/2B1K1p1/8/8 w - - 0 1",
)


def walk(
    fen: str, random: Random, plies: int, game: Game = CHESS, *, chess960: bool = False
) -> Iterator[tuple[Position, chess.Board, str]]:
    """Each position of one random game with python-chess's board and the move played next, until the game ends.

    The last position comes with the move "".
    """
    position, board = game.parse(fen), chess.Board(fen, chess960=chess960)
    for _ in range(plies):
        if position.outcome() is not None:
            break
        move = choose(position, random)
        yield position, board, move
        position = position.play(move)
        board.push_uci(move)
    yield position, board, ""


def choose(position: Position, random: Random) -> str:
    """A random move; now and then one that goes back, so that positions repeat."""
    moves = position.legal_moves()
    if position.ply >= 2 and random.random() < 0.2:
        before = position.moves[-2]
        back = before[2:4] + before[:2]
        if back in moves:
            return back
    return random.choice(moves)


def positions(count: int, seed: int) -> Iterator[tuple[Position, chess.Board, str]]:
    """`count` positions of random games: half of them from the start, half from ODD ones."""
    random, given = Random(seed), 0
    while True:
        for fen in (chess.STARTING_FEN, random.choice(ODD)):
            for found in walk(fen, random, 160):
                if given == count:
                    return
                given += 1
                yield found
