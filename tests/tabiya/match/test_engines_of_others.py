"""Whole games of engines that others have written, each by its own protocol."""

from __future__ import annotations

import pytest

from tabiya.match.plan import MatchPlan
from tabiya.match.run import play
from tabiya.match.score import MatchScore
from tests.bots.adapters.debian_engines import engine

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("protocol", "name", "game"),
    [("xboard", "fairymax", "chess"), ("xboard", "phalanx", "chess")],  # without and with setboard
)
async def test_an_engine_of_others_plays_a_pair_without_a_fault(protocol: str, name: str, game: str) -> None:
    played, said = MatchScore(), list[str]()
    plan = MatchPlan((f"{protocol}:{engine(name)}", "random"), game, pairs=1, time_control="20+0", seed=3)
    await play(plan, played, lambda event: said.append(str(event)))
    assert played.scored == 2
    assert not [line for line in said if ", ply " in line]
    assert [game.ending for game in played.games.values()] == ["checkmate"] * 2
