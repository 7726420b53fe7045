"""Games that are over, and boards on which nothing can be found."""

from __future__ import annotations

import threading

import pytest

from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.solvers.solving_engine import SolvingEngine
from tabiya.bots.uci.parse import GoCommand
from tabiya.bots.uci.running_search import RunningSearch, SearchTask
from tabiya.games.registry import load_game
from tests.bots.uci.board import Board


@pytest.mark.usefixtures("compiled")
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
    ("nim", "0,0,0 normal 1", "mate 0"),
    ("nim", "0,0,0 misere 1", "mate 1"),
    ("reversi", 63 * "X" + "O X", "cp 6200"),
    ("reversi", 63 * "X" + "O O", "cp -6200"),
    ("reversi", 32 * "XO" + " X", "cp 0"),
]


@pytest.mark.parametrize(
    ("game", "position", "score"),
    [
        ("chess", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "mate 0"),
        ("chess", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "cp 0"),
        ("chess", "7k/8/6K1/8/8/8/8/8 b - - 0 1", "cp 0"),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in OTHER_GAMES),
    ],
)
def test_the_score_of_an_ended_game_is_for_the_side_to_move(game: str, position: str, score: str) -> None:
    rules, lines = load_game(game), list[str]()
    engine = SolvingEngine(evaluator_for(rules), table_mb=1)  # not warmed up: a finished position needs no search
    search = RunningSearch(engine, SearchTask(rules.parse(position), GoCommand(depth=1)), lines.append)
    search.start()
    assert search.join(threading.Event())
    assert lines[0] == f"info depth 0 score {score}"
