"""A match is played in pairs from one opening, kept where it shall be kept, and stopped without leaving anything."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from tabiya.bots.client.errors import ClientError
from tabiya.bots.client.events import silent
from tabiya.bots.players.spec import PlayerError
from tabiya.match.openings import opening_of
from tabiya.match.participants import MatchFailed
from tabiya.match.plan import MatchPlan
from tabiya.match.run import play
from tabiya.match.score import MatchScore
from tabiya.match.table import open_table
from tabiya.server.core.adjudication import Adjudication
from tabiya.storage.open import open_store
from tabiya.storage.records import MatchRecord, MoveRecord
from tests.fakes.store import FaultyStore
from tests.tabiya.cli.command_runner import tabiya

pytestmark = pytest.mark.slow


async def test_games_come_in_pairs_from_one_opening_with_seats_changed(in_process: tuple[str, str]) -> None:
    plan = MatchPlan(in_process, "tictactoe", pairs=3, concurrency=2, seed=4)
    seen, begun, played = list[int](), dict[int, tuple[str, list[str]]](), MatchScore()

    def keep(number: int, record: MatchRecord, moves: tuple[MoveRecord, ...]) -> None:
        begun[number] = record.seats[0].bot, [move.text for move in moves if move.opening]

    await play(plan, played, silent, lambda now: seen.append(len(now.games)), keep)
    assert sorted(played.games) == list(range(6))
    assert seen == [1, 2, 3, 4, 5, 6]
    assert played.names == ("First", "Last")
    assert [played.games[number].first_seat for number in range(6)] == [0, 1] * 3
    assert (played.scored, played.pairs.number, played.half_pairs) == (6, 3, 0)
    games = [begun[number] for number in range(6)]
    assert [first for first, _ in games] == ["First", "Last"] * 3
    openings = [moves for _, moves in games]
    assert openings[::2] == openings[1::2]
    assert all(openings)


async def test_a_match_whose_games_cannot_be_saved_for_long_ends_and_says_why(
    in_process: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tabiya.match.table.OUTAGE_S", 0.1)
    plan, store = MatchPlan(in_process, "nim", pairs=1), FaultyStore()
    async with open_table(plan, silent, store=store) as table:
        await table.join()
        await table.begin(0, "match-9f3c-1-0", opening_of(plan, 0))
        store.fail_next(1_000, "the disk is full")
        with pytest.raises(MatchFailed, match="the games cannot be saved: the disk is full"):
            await table.unless_failed(asyncio.ensure_future(table.game_over("match-9f3c-1-0")))


async def test_players_have_the_names_that_they_were_given(in_process: tuple[str, str]) -> None:
    played = MatchScore()
    await play(MatchPlan(in_process, "nim", pairs=1, names=("new", "")), played, silent)
    assert played.names == ("new", "Last")


async def test_one_player_against_itself_has_two_names(in_process: tuple[str, str]) -> None:
    played = MatchScore()
    await play(MatchPlan((in_process[0], in_process[0]), "nim", pairs=1), played, silent)
    assert played.names == ("First", "First-2")
    assert len(played.games) == 2


async def test_a_match_on_other_terms_is_another_match(in_process: tuple[str, str]) -> None:
    plain = MatchPlan(in_process, "connect5", pairs=1)
    short = replace(plain, adjudication=Adjudication(maxmoves=2))
    assert plain.digest == replace(plain, pairs=7).digest
    assert len({plain.digest, short.digest, replace(short, adjudication=Adjudication(maxmoves=3)).digest}) == 3
    played = MatchScore()
    await play(short, played, silent)
    assert {(game.ending, game.plies) for game in played.games.values()} == {("move_limit", 4)}


async def test_a_match_that_is_stopped_leaves_no_game_running(in_process: tuple[str, str], tmp_path: Path) -> None:
    database = tmp_path / "games.db"
    plan = MatchPlan(in_process, "connect5", pairs=50, database=str(database))
    played, enough = MatchScore(), asyncio.Event()
    playing = play(plan, played, silent, lambda now: enough.set())
    task = asyncio.create_task(playing)
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


async def test_a_player_that_cannot_start_is_named(in_process: tuple[str, str]) -> None:
    plan = MatchPlan((in_process[0], in_process[0].replace("First", "Stops")), "nim", pairs=1)
    with pytest.raises((ClientError, PlayerError), match="no licence"):
        await play(plan, MatchScore(), silent)


@pytest.mark.parametrize(("on_failure", "crashes"), [("forfeit", 2), ("legal-move", None)])
def test_a_player_that_fails_loses_unless_a_legal_move_is_asked_for(
    players: tuple[str, str], on_failure: str, crashes: int | None
) -> None:
    fails = players[0].replace("First", "Fails")
    result = tabiya("match", fails, players[1], "-g", "nim", "-n", "2", "--on-failure", on_failure, "--format", "json")
    row = result.rows["players"][0]
    (failure,) = result.rows["failures"]
    assert (failure["called"], failure["error"]) == ("Fails: choose", "IndexError: tuple index out of range")
    if crashes:
        assert (row["losses"], row["deaths"], row["emergency_moves"]) == (2, crashes, 0)
        assert {game["ending"] for game in result.rows["games"]} == {"resignation"}
    else:
        assert row["emergency_moves"] == row["moves"] == row["deaths"] > 2
        assert {game["ending"] for game in result.rows["games"]} == {"last_object"}


def test_the_command_prints_plain_values(players: tuple[str, str]) -> None:
    values = tabiya("match", *players, "--game", "nim", "--games", "3", "--format", "json").rows
    assert [player["player"] for player in values["players"]] == ["First", "Last"]
    assert [player["games"] for player in values["players"]] == [4, 4]
    assert sum(player["points"] for player in values["players"]) == 4
    assert [game["number"] for game in values["games"]] == [1, 2, 3, 4]
    assert {game["ending"] for game in values["games"]} == {"last_object"}
