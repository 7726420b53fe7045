"""Games that are over, and boards on which nothing can be found."""

from __future__ import annotations

import pytest

from tests.bots.uci.board import Board

pytestmark = pytest.mark.usefixtures("compiled")


@pytest.mark.parametrize(
    ("position", "answer"),
    [
        ("fen 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "bestmove (none)"),
        ("fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "bestmove (none)"),
        ("fen 7k/8/6K1/8/8/8/8/8 b - - 0 1", "bestmove h8g8"),
        ("fen nonsense", "bestmove (none)"),
        ("startpos moves e2e5", "bestmove (none)"),
        ("startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8", "bestmove "),
    ],
)
def test_where_nothing_is_to_be_found_it_still_answers(position: str, answer: str) -> None:
    board = Board()
    board.tell("position startpos", f"position {position}", "go depth 1")
    assert board.wait("bestmove").startswith(answer)


OTHER_GAMES = [
    ("nim", "0,0,0 normal 1", "depth 0 score mate 0"),
    ("nim", "0,0,0 misere 1", "depth 0 score mate 1"),
    ("nim", "1,0,0 misere 1", "depth 1 seldepth 1 multipv 1 score mate -1 "),
    ("nim", "1,0,0 normal 1", "depth 1 seldepth 1 multipv 1 score mate 1 "),
    ("reversi", 63 * "X" + "O X", "depth 0 score cp 6200"),
    ("reversi", 63 * "X" + "O O", "depth 0 score cp -6200"),
    ("reversi", 32 * "XO" + " X", "depth 0 score cp 0"),
]


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("game", "position", "score"),
    [
        ("chess", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "depth 0 score mate 0"),
        ("chess", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "depth 0 score cp 0"),
        ("chess", "7k/8/6K1/8/8/8/8/8 b - - 0 1", "depth 0 score cp 0"),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in OTHER_GAMES),
    ],
)
def test_a_game_that_is_over_is_told_from_the_view_of_the_side_to_move(game: str, position: str, score: str) -> None:
    board = Board(game)
    board.tell(f"position fen {position}", "go depth 1")
    assert board.wait("info depth").startswith(f"info {score}")
