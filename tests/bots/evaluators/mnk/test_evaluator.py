"""How the m,n,k games are played: by the engine with all that their evaluator says."""

from __future__ import annotations

import pytest

from tabiya.bots.engine.engine import Engine
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.games.registry import load_game

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("begun", ["f5 g4", "f5 g4 f6"])
def test_as_second_player_it_beats_a_two_ply_search(begun: str) -> None:
    """Both were lost before open threes were answered at once."""
    game = load_game("connect5")
    short, long = Engine(evaluator_for(game)), Engine(evaluator_for(game))
    position = game.start()
    for move in begun.split():
        position = position.play(move)
    while position.outcome() is None:
        found = long.search(position, depth=6) if position.to_move == 1 else short.search(position, depth=2)
        position = position.play(found.move)
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.winner == 1, position


def test_an_open_three_is_answered_where_it_stands_or_by_a_four() -> None:
    game = load_game("connect5")
    position = game.start()
    for move in ["h8", "a1", "i8", "c1", "j8"]:
        position = position.play(move)
    assert Engine(evaluator_for(game)).search(position, depth=1).move in {"f8", "g8", "k8", "l8"}
