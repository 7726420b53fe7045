"""A match is played in pairs from one opening, kept where it shall be kept, and stopped without leaving anything."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tabiya.bots.client.errors import ClientError
from tabiya.bots.players.spec import PlayerError
from tabiya.match.plan import MatchPlan
from tabiya.match.run import play
from tabiya.match.score import MatchScore
from tabiya.server.core.adjudication import Adjudication
from tabiya.storage.open import open_store
from tests.house.sources import ROOT

pytestmark = pytest.mark.slow

FIRST_AND_LAST = """
from tabiya import Bot

class First(Bot):
    def choose(self, turn):
        return turn.legal_moves[0]

class Last(Bot):
    def choose(self, turn):
        return turn.legal_moves[-1]

class Stops(Bot):
    def __init__(self):
        raise RuntimeError("no licence")
"""


@pytest.fixture
def players(tmp_path: Path) -> Path:
    file = tmp_path / "players.py"
    file.write_text(FIRST_AND_LAST)
    return file


async def starts(database: Path) -> dict[int, tuple[str, list[str]]]:
    """Of every match in a database: who had the first seat, and the moves of its opening."""
    store = await open_store(str(database), create=False)
    try:
        found = {}
        for match in await store.list_matches():
            moves = await store.moves(match.id)
            found[int(match.id)] = match.seats[0].bot, [move.text for move in moves if move.opening]
        return found
    finally:
        await store.close()


async def test_games_come_in_pairs_from_one_opening_with_seats_changed(players: Path, tmp_path: Path) -> None:
    database = tmp_path / "games.db"
    plan = MatchPlan(
        (f"{players}:First", f"{players}:Last"), "tictactoe", pairs=3, concurrency=2, seed=4, database=str(database)
    )
    seen: list[int] = []
    played = MatchScore()
    await play(plan, played, lambda event: None, lambda now: seen.append(len(now.games)))
    assert sorted(played.games) == list(range(6))
    assert seen == [1, 2, 3, 4, 5, 6]
    assert played.names == ("First", "Last")
    assert [played.games[number].first_seat for number in range(6)] == [0, 1] * 3
    assert (played.scored, played.pairs.number, played.half_pairs) == (6, 3, 0)
    found = await starts(database)
    games = [found[played.games[number].match] for number in range(6)]
    assert [first for first, _ in games] == ["First", "Last"] * 3
    openings = [moves for _, moves in games]
    assert openings[::2] == openings[1::2]
    assert all(openings)


async def test_one_player_against_itself_has_two_names() -> None:
    played = MatchScore()
    await play(MatchPlan(("random", "random"), "nim", pairs=1), played, lambda event: None)
    assert played.names == ("random", "random-2")
    assert len(played.games) == 2


async def test_a_match_on_other_terms_is_another_match(players: Path) -> None:
    both = f"{players}:First", f"{players}:Last"
    plain = MatchPlan(both, "connect5", pairs=1)
    short = replace(plain, adjudication=Adjudication(maxmoves=2))
    assert plain.digest == replace(plain, pairs=7).digest
    assert len({plain.digest, short.digest, replace(short, adjudication=Adjudication(maxmoves=3)).digest}) == 3
    played = MatchScore()
    await play(short, played, lambda event: None)
    assert {(game.ending, game.plies) for game in played.games.values()} == {("move_limit", 4)}


async def test_a_match_that_is_stopped_leaves_no_game_running(players: Path, tmp_path: Path) -> None:
    database = tmp_path / "games.db"
    plan = MatchPlan((f"{players}:First", "random"), "connect5", pairs=50, database=str(database))
    played, enough = MatchScore(), asyncio.Event()
    task = asyncio.create_task(play(plan, played, lambda event: None, lambda now: enough.set()))
    await asyncio.wait([task, asyncio.ensure_future(enough.wait())], return_when=asyncio.FIRST_COMPLETED)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert 0 < len(played.games) < 100
    store = await open_store(str(database), create=False)
    try:
        assert not (await store.unfinished_matches()).matches
    finally:
        await store.close()


async def test_a_player_that_cannot_start_is_named(players: Path) -> None:
    plan = MatchPlan((f"{players}:First", f"{players}:Stops"), "nim", pairs=1)
    with pytest.raises((ClientError, PlayerError), match="no licence"):
        await play(plan, MatchScore(), lambda event: None)


def test_the_command_prints_a_table_and_plain_values(players: Path) -> None:
    command = [sys.executable, "-m", "tabiya", "match", f"{players}:First", f"{players}:Last"]
    arguments = ["--game", "nim", "--games", "3", "--format"]
    done = subprocess.run([*command, *arguments, "json"], capture_output=True, text=True, cwd=ROOT, check=True)
    values = json.loads(done.stdout)
    assert [player["player"] for player in values["players"]] == ["First", "Last"]
    assert [player["games"] for player in values["players"]] == [4, 4]
    assert sum(player["points"] for player in values["players"]) == 4
    assert [game["number"] for game in values["games"]] == [1, 2, 3, 4]
    assert {game["ending"] for game in values["games"]} == {"last_object"}


def test_a_game_that_a_player_does_not_play_is_said_in_a_sentence() -> None:
    command = [sys.executable, "-m", "tabiya", "match", "random", "nim_rule", "--game", "chess"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1
