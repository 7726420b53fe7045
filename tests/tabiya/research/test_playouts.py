"""Random games by the compiled rules, compared with what the interpreted rules let expect."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from tabiya.games.position import Position
from tabiya.games.registry import load_game, names
from tabiya.research.playouts import random_playouts

pytestmark = pytest.mark.slow  # compiled again in each process


@pytest.mark.parametrize(("game", "text"), [("tictactoe", ""), ("nim", "2,3,1 normal 2"), ("nim", "3,2 misere 1")])
def test_results_and_lengths_are_as_often_as_chance_has_them(game: str, text: str) -> None:
    start = load_game(game).parse(text) if text else load_game(game).start()

    @functools.cache
    def expected(position_text: str) -> tuple[float, float, float]:
        """Chances of seat 0 and seat 1, and the plies to the end."""
        return _expected(load_game(game).parse(position_text))

    def _expected(position: Position) -> tuple[float, float, float]:
        outcome = position.outcome()
        if outcome is not None:
            return float(outcome.winner == 0), float(outcome.winner == 1), 0.0
        below = [expected(position.play(move).text()) for move in position.legal_moves()]
        first, second, plies = (sum(part) / len(below) for part in zip(*below, strict=True))
        return first, second, plies + 1

    played = random_playouts(start, 100_000, seed=5)
    found = (np.mean(played.winners == 0), np.mean(played.winners == 1), np.mean(played.plies))
    assert found == pytest.approx(expected(start.text()), abs=0.01)


@pytest.mark.parametrize("game", names())
def test_every_game_ends_and_threads_change_nothing(game: str) -> None:
    start = load_game(game).start()
    alone, together = (random_playouts(start, 7, seed=3, threads=threads) for threads in (1, 3))
    assert alone.winners.tolist() == together.winners.tolist()
    assert alone.plies.tolist() == together.plies.tolist()
    assert set(alone.winners.tolist()) <= {-1, 0, 1}
    assert random_playouts(start, 7, seed=4).plies.tolist() != alone.plies.tolist() or game == "tictactoe"


def test_games_are_cut_short_where_that_is_wanted() -> None:
    played = random_playouts(load_game("connect5").start(), 3, most_plies=4)
    assert (played.winners.tolist(), played.plies.tolist()) == ([-2, -2, -2], [4, 4, 4])


def test_an_invalid_start_is_refused() -> None:
    over = load_game("tictactoe").parse("3x3x3 XXXOO---- O")
    with pytest.raises(ValueError, match="no end"):
        random_playouts(over, 1)
    with pytest.raises(ValueError, match="1 thread or more"):
        random_playouts(load_game("nim").start(), 1, threads=0)
    assert random_playouts(load_game("nim").start(), 0).plies.size == 0
