"""The benchmark of matches does what it says; it measures nothing here."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.match import instant_programs, measure
from tabiya.games.registry import load_game
from tabiya.match.plan import MatchPlan
from tabiya.match.run import play
from tabiya.match.score import MatchScore
from tests.programs import program

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("game", ["tictactoe", "reversi"])
async def test_instant_players_inside_the_process_play_all_their_games(game: str) -> None:
    row = await measure(MatchPlan(("one", "two"), game, pairs=2, concurrency=2), inside=True)
    assert (row.games, row.concurrency) == (4, 2)
    assert row.moves > 4
    assert row.moves_per_s > 0
    assert row.their_us == 0


@pytest.mark.timeout(300)
async def test_the_instant_program_plays_whole_games_of_chess_by_the_rules(tmp_path: Path) -> None:
    """An illegal move, or none where one is legal, would be a loss of the program and not an end by the rules."""
    program("g++")
    one, two = instant_programs(tmp_path)
    played = MatchScore()
    plan = MatchPlan((f"uci:{one}", f"uci:{two}"), "chess", pairs=3, concurrency=2)
    await play(plan, played, print, lambda _: None)
    assert len(played.games) == 6
    assert {game.ending for game in played.games.values()} <= set(load_game("chess").endings)
