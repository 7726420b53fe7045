"""The edge cases of every game are turns, and are what they say they are."""

from __future__ import annotations

import pytest

from tabiya.games.contract import Game
from tabiya.games.registry import load_game, names

every_game = pytest.mark.parametrize("game", [load_game(name) for name in names()], ids=names())


@every_game
def test_every_edge_case_is_a_turn_of_one_seat_or_the_other_and_says_so_where_one_move_is_legal(game: Game) -> None:
    words = ("one move is legal", "must pass", "only legal move", "one cell is left", "one square is left")
    cases = game.edge_cases()
    assert len({case.about for case in cases}) == len(cases) >= 2
    for case in cases:
        position = game.parse(case.position)
        assert position.text() == case.position
        assert position.outcome() is None
        assert (len(position.legal_moves()) == 1) == any(word in case.about for word in words), case.about
    assert {game.parse(case.position).to_move for case in cases} == {0, 1}
