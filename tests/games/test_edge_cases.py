"""The edge cases of every game are turns, and are what they say they are."""

from __future__ import annotations

import pytest

from tabiya.games.contract import Game
from tabiya.games.registry import load_game, names

every_game = pytest.mark.parametrize("game", [load_game(name) for name in names()], ids=names())


@every_game
def test_every_edge_case_is_a_position_in_which_somebody_has_to_move(game: Game) -> None:
    turns = game.edge_cases()
    assert len({turn.about for turn in turns}) == len(turns) >= 2
    for turn in turns:
        position = game.parse(turn.position)
        assert position.text() == turn.position
        assert position.outcome() is None
        assert position.legal_moves()


@every_game
def test_each_seat_has_an_edge_case(game: Game) -> None:
    assert {game.parse(turn.position).to_move for turn in game.edge_cases()} == {0, 1}


@every_game
def test_a_turn_with_one_legal_move_is_said_to_be_one(game: Game) -> None:
    words = ("one move is legal", "must pass", "only legal move", "one cell is left", "one square is left")
    for turn in game.edge_cases():
        alone = len(game.parse(turn.position).legal_moves()) == 1
        assert alone == any(word in turn.about for word in words), turn.about
