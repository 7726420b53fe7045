"""The independent twin: python-chess says the same of 20,000 positions of random games of Chess960."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random

import chess
import pytest

from tabiya.games.chess.san import is_castling
from tabiya.games.chess960.starts import STARTS
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tests.games.chess.test_against_python_chess import disagreement
from tests.games.chess.walks import walk

GAME = load_game("chess960")
COUNT, SEED = 20_000, 960


def thinned(random: Random) -> str:
    """A start from which men are missing, so that kings castle soon."""
    while True:
        board = chess.Board.from_chess960_pos(random.randrange(STARTS))
        for square in chess.SquareSet(board.occupied & ~board.kings & ~board.rooks):
            if random.random() < 0.6:
                board.remove_piece_at(square)
        if board.is_valid():
            return board.fen()


def positions(random: Random) -> Iterator[tuple[Position, chess.Board, str]]:
    while True:
        for fen in (chess.Board.from_chess960_pos(random.randrange(STARTS)).fen(), thinned(random)):
            yield from walk(fen, random, 120, GAME, chess960=True)


@pytest.mark.slow
def test_python_chess_agrees_on_moves_notation_texts_endings_and_repetitions_of_20_000_positions() -> None:
    castled = 0
    for at, (position, board, move) in enumerate(islice(positions(Random(SEED)), COUNT)):
        can_castle = [each for each in position.legal_moves() if is_castling(position, each)]
        castled += len(can_castle)
        moves = position.legal_moves() if at % 60 == 0 else [*can_castle, *([move] if move else [])]
        differs = disagreement(position, board, moves)
        assert not differs, f"{differs} in {position.text()}"
        assert GAME.parse(board.shredder_fen()).text() == GAME.parse(position.text()).text() == position.text()
    assert castled > 1_000


def test_the_starts_have_the_numbers_that_python_chess_gives_them() -> None:
    for number in range(STARTS):
        assert GAME.start({"number": number}).text() == chess.Board.from_chess960_pos(number).fen()
