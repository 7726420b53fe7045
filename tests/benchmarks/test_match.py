"""The benchmark of matches does what it says; it measures nothing here."""

from __future__ import annotations

import pytest

from benchmarks.match import measure
from tabiya.match.plan import MatchPlan

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("game", ["tictactoe", "reversi"])
async def test_instant_players_inside_the_process_play_all_their_games(game: str) -> None:
    row = await measure(MatchPlan(("one", "two"), game, pairs=2, at_once=2), inside=True)
    assert (row.games, row.at_once) == (4, 2)
    assert row.moves > 4
    assert row.moves_per_s > 0
    assert row.their_us == 0
