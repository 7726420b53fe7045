import random

import pytest

from tabiya.games.mnk import Mnk
from tabiya.games.registry import load_game
from tests.games.twins import mnk as twin
from tests.games.twins.comparing import compare_playout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("columns", "rows", "k", "positions", "seed"),
    [(3, 3, 3, 6000, 40), (4, 6, 4, 6000, 41), (15, 15, 5, 5000, 42), (20, 20, 5, 3000, 43)],
)
def test_twenty_thousand_positions_equal_those_of_the_naive_twin(
    columns: int, rows: int, k: int, positions: int, seed: int
) -> None:
    game, draw, compared = Mnk("any", "Any", columns=columns, rows=rows, k=k), random.Random(seed), 0
    while compared < positions:
        start = twin.Position(columns, rows, k, {}, draw.choice("XO"))
        compared += compare_playout(game.parse(twin.text(start)), twin, start, draw)


def test_the_sizes_of_connect_5_equal_those_of_the_naive_twin() -> None:
    game, draw = load_game("connect5"), random.Random(5)
    for columns, rows in ((5, 5), (5, 20), (20, 5), (8, 8)):
        start = twin.Position(columns, rows, 5, {}, "X")
        compare_playout(game.start({"columns": columns, "rows": rows}), twin, start, draw)
