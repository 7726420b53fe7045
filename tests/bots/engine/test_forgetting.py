"""What was searched before changes nothing once it is forgotten, however full the table was."""

from __future__ import annotations

import pytest

from bots.engine.engine import Engine
from bots.engine.table import AGES
from bots.players.catalogue import brain_for
from games.registry import load_game, names
from tests.bots.positions import unfinished

DEPTHS = {"chess": 7, "reversi": 8}
SMALL_MB = 0.02  # a thousand entries, for thousands of nodes


@pytest.mark.parametrize("name", [name for name in names() if name in DEPTHS])
def test_a_table_full_of_what_is_forgotten_is_as_good_as_an_empty_one(name: str) -> None:
    """What another search has kept, deeper or apparently of the same age, would stay in place of something new."""
    engine, (first, second) = Engine(brain_for(load_game(name)), table_mb=SMALL_MB), unfinished(name, 2, 71)
    alone = engine.search(first, depth=DEPTHS[name])
    engine.search(second, depth=DEPTHS[name] + 1)
    for _ in range(AGES - 1):
        engine.search(second, depth=1)
    again = engine.search(first, depth=DEPTHS[name])
    assert alone.nodes > 2_000
    assert again._replace(time_s=0.0) == alone._replace(time_s=0.0)
