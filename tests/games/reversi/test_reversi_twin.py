import random

import pytest

from tabiya.games.registry import load_game
from tests.games.twins import reversi as twin
from tests.games.twins.comparing import compare_playout


@pytest.mark.slow
@pytest.mark.parametrize("seed", [30])
def test_twenty_thousand_positions_equal_those_of_the_naive_twin(seed: int) -> None:
    game, draw, compared = load_game("reversi"), random.Random(seed), 0
    while compared < 18_000:
        compared += compare_playout(game.start(), twin, twin.start(), draw)
    while compared < 20_000:  # positions that no game reaches, with passes and empty squares at the end
        start = any_position(draw)
        compared += compare_playout(game.parse(twin.text(start)), twin, start, draw)


def any_position(draw: random.Random) -> twin.Position:
    """Discs at random, few or many of either kind."""
    weights = [draw.choice((1, 2, 8)) for _ in range(3)]
    rows = [draw.choices("XO-", weights, k=8) for _ in range(8)]
    rows[3][3] = "X"
    return twin.Position(rows, draw.choice("XO"))
