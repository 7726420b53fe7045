"""Whole games by each protocol: of engines that others have written, and of ours as a program."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tabiya.match.plan import MatchPlan
from tabiya.match.run import play
from tabiya.match.score import MatchScore
from tests.programs import program

pytestmark = pytest.mark.slow


STONES = f"{sys.executable} {Path(__file__).with_name('stones_engine.py')}"
TABIYA = f"{sys.executable} -m tabiya"


async def endings_of_a_pair(first: str, second: str, game: str) -> list[str | None]:
    """How two games end in which neither has a fault that anybody is told of."""
    played, lines = MatchScore(), list[str]()
    plan = MatchPlan((first, second), game, pairs=1, time_control="20+0", seed=3)
    await play(plan, played, lambda event: lines.append(str(event)))
    assert not [line for line in lines if ", ply " in line]
    return [game.ending for game in played.games.values()]


@pytest.mark.parametrize("name", ["fairymax", "phalanx"])  # without and with setboard
async def test_an_xboard_engine_of_others_plays_a_pair_without_a_fault(name: str) -> None:
    assert await endings_of_a_pair(f"xboard:{program(name)}", "random", "chess") == ["checkmate"] * 2


async def test_an_xboard_engine_of_others_plays_chess960_without_a_fault() -> None:
    adapter = f"xboard:{program('polyglot')} -noini -ec '{TABIYA} uci'?sd=2"
    assert await endings_of_a_pair(adapter, "random", "chess960") == ["checkmate"] * 2


async def test_a_gtp_engine_of_others_plays_a_pair_without_a_fault() -> None:
    assert await endings_of_a_pair(f"gtp:{program('gtp-rhino')}", "random", "reversi") == ["more_discs"] * 2


async def test_a_small_engine_plays_connect_5_by_both_protocols_without_a_fault() -> None:
    players = f"gomocup:{STONES} gomocup", f"gtp:{STONES} gtp"
    assert set(await endings_of_a_pair(*players, "connect5")) <= {"line", "full_board"}


async def test_what_a_gtp_engine_refuses_is_told_with_the_command() -> None:
    played, lines = MatchScore(), list[str]()
    plan = MatchPlan((f"gtp:{STONES} gtp", "random"), "connect5", pairs=1, options={"columns": 9, "rows": 9})
    await play(plan, played, lambda event: lines.append(str(event)))
    assert [game.ending for game in played.games.values()] == ["illegal_moves"] * 2
    assert "; it answered '? unacceptable size (to boardsize 9)'" in " ".join(lines)


async def test_our_engine_as_a_program_plays_by_gomocup_and_xboard() -> None:
    assert await endings_of_a_pair(f"gomocup:{TABIYA} gomocup", "random", "connect5") == ["line"] * 2
    assert await endings_of_a_pair(f"xboard:{TABIYA} xboard", "random", "chess") == ["checkmate"] * 2
    assert await endings_of_a_pair(f"xboard:{TABIYA} xboard?sd=2", "random", "chess960") == ["checkmate"] * 2
