"""Positions whose result our tables know."""

from __future__ import annotations

import pytest

from tabiya.bots.evaluators.known_result import known_result, knows_results
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.games.registry import load_game, names
from tabiya.games.rules import DRAW

QUEEN = "8/8/8/4k3/8/8/3Q4/4K3"


@pytest.mark.slow
@pytest.mark.parametrize("game", ["chess", "chess960"])
@pytest.mark.parametrize(
    ("fen", "result"),
    [
        (f"{QUEEN} w - - 0 1", 0),
        (f"{QUEEN.swapcase()} w - - 0 1", 1),
        ("4k3/4r3/8/8/8/8/4R3/4K3 w - - 0 1", DRAW),
        (f"{QUEEN} w - - 1 1", None),  # by the fifty-move rule it may be a draw
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", None),  # castling is in no table
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", None),
    ],
)
def test_an_ending_of_few_men_is_known_where_right_play_decides_alone(game: str, fen: str, result: int | None) -> None:
    rules = load_game(game)
    assert known_result(evaluator_for(rules), rules.parse(fen)) == result


def test_not_every_game_has_tables() -> None:
    known = [name for name in names() if knows_results(evaluator_for(load_game(name)))]
    assert known == ["chess", "chess960"]
