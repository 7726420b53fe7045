import random

import pytest

from tabiya.games.registry import load_game
from tests.games.twins import nim as twin
from tests.games.twins.comparing import compare_playout


@pytest.mark.slow
@pytest.mark.parametrize(("misere", "seed"), [(False, 20), (True, 21)])
def test_twenty_thousand_positions_equal_those_of_the_naive_twin(misere: bool, seed: int) -> None:
    game, draw, compared = load_game("nim"), random.Random(seed), 0
    while compared < 10_000:
        heaps = [draw.randint(0, draw.choice((3, 9, 63))) for _ in range(draw.choice((1, 3, 5, 26)))]
        start = twin.Position(heaps, misere, draw.choice((1, 2)))
        compared += compare_playout(game.parse(twin.text(start)), twin, start, draw)
