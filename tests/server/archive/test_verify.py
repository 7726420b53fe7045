"""What is stored follows from the moves; and every kind of damage is found at its place."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from tabiya.server.archive.verify import VerificationReport, verify
from tabiya.server.standings.cache import COUNTERS_KEY, StandingsCache
from tabiya.server.standings.counters import CountedResults
from tabiya.server.tournaments.settings import TournamentOrder
from tabiya.storage.memory import MemoryStore
from tabiya.storage.open import open_store
from tabiya.storage.records import MatchId, TournamentRecord
from tabiya.storage.store import Store
from tests.server.local_bots import at_random, table
from tests.server.planted import DRAW, GAME, LINE, change, fill_a_page_with, plays, two_players
from tests.server.tournaments.cups import over
from tests.storage.sql.broken_files import break_page_with
from tests.virtual_time import virtual_time


async def fill(store: Store) -> None:
    """Matches 1 to 6: won, drawn, lost on time, running, with periods, and of another game."""
    bots = await two_players(store)
    await plays(store, bots, LINE)
    await plays(store, bots, DRAW, control="2/10")
    await plays(store, bots, "a1 a2", runs_out=True)
    await plays(store, bots, "a1 a2 b1")
    await plays(store, bots, "a1 b2", control="none", runs_out=True)
    await plays(store, bots, "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7", game="chess")


async def test_what_a_server_stores_has_no_faults() -> None:
    store = MemoryStore()
    await fill(store)
    seen: list[tuple[int, int]] = []
    report = await verify(store, lambda done, total: seen.append((done, total)))
    assert report == VerificationReport(matches=6, moves=28, results=5, tournaments=0, other_rules=0, faults=())
    assert seen == [(6, 6)]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of these matches."""
    path = tmp_path_factory.mktemp("filled") / "games.db"

    async def work() -> None:
        store = await open_store(str(path))
        await fill(store)
        await store.close()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work()).result()
    return path


async def verified(path: Path) -> VerificationReport:
    """What is found in a database."""
    store = await open_store(str(path), create=False)
    try:
        return await verify(store)
    finally:
        await store.close()


THINKING = "what is counted of the thinking of"  # also false, where moves or the matches they belong to are
PLANTED = [
    [
        ("UPDATE matches SET options = '{' WHERE id = 1", 1, "match 1 cannot be read"),
        ("UPDATE matches SET game = 'halma' WHERE id = 2", 2, "there is no game 'halma'"),
        ("DELETE FROM moves WHERE match_id = 3 AND ply = 0", 3, "match 3 has no move for ply 0"),
        ("UPDATE moves SET text = 'a1' WHERE match_id = 4 AND ply = 2", 4, "ply 2 cannot be played"),
        ("DELETE FROM results WHERE match_id = 5", 5, "it is ended and has no result"),
        ("UPDATE results SET winner = 1 WHERE match_id = 6", 6, "but the moves say seat 0 wins"),
    ],
    [
        ("UPDATE moves SET info = '[7' WHERE match_id = 1 AND ply = 2", 1, "match 1 cannot be read"),
        ("UPDATE matches SET illegal_limit = 'a lot' WHERE id = 2", 2, "which is not a whole number"),
        ("UPDATE results SET lost_turn = '{}' WHERE match_id = 3", 3, "match 3 cannot be read"),
        ("UPDATE matches SET rules_version = 99 WHERE id = 4", 4, "newer than this program's"),
        (
            "UPDATE matches SET adjudication = '{\"draw\": 7}' WHERE id = 6",
            6,
            "its rule of adjudication cannot be read",
        ),
    ],
]


@pytest.mark.parametrize("planted", PLANTED)
async def test_planted_damage_of_each_kind_is_found_at_its_place(
    filled: Path, tmp_path: Path, planted: list[tuple[str, int, str]]
) -> None:
    path = Path(shutil.copy(filled, tmp_path / "games.db"))
    change(path, *(statement for statement, _, _ in planted))
    report = await verified(path)
    assert report.matches == 6
    found = [(fault.number, fault.fault) for fault in report.faults if fault.what == "match"]
    assert len(found) == len(planted)
    assert all(THINKING in fault.fault for fault in report.faults if fault.what != "match")
    for _, number, says in planted:
        assert any(at == number and says in fault for at, fault in found), says


async def test_a_running_match_whose_game_is_over_is_found(filled: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(filled, tmp_path / "games.db"))
    change(path, "DELETE FROM results WHERE match_id = 1", "UPDATE matches SET status = 'running' WHERE id = 1")
    *counted, fault = (await verified(path)).faults
    assert fault.fault == "the game is over after ply 4, but no result is stored"
    assert [THINKING in each.fault for each in counted] == [True, True]  # of both bots, of whom the match is counted


async def test_a_game_of_no_match_is_found_in_the_standings_and_in_the_database(filled: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(filled, tmp_path / "games.db"))
    change(path, "DELETE FROM moves WHERE match_id = 1", "DELETE FROM matches WHERE id = 1")
    assert {fault.what for fault in (await verified(path)).faults} == {"database"}  # a result without a match


async def test_a_broken_page_is_found_and_the_rest_is_verified(filled: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(filled, tmp_path / "games.db"))
    mark = fill_a_page_with(path, 4)
    assert (await verified(path)).faults == ()
    break_page_with(path, mark)
    report = await verified(path)
    assert {fault.what for fault in report.faults} == {"database", "match"}
    assert {fault.number for fault in report.faults} == {None, 4}
    assert report.matches == 6


async def test_rules_of_an_earlier_version_are_no_fault(filled: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(filled, tmp_path / "games.db"))
    change(path, "UPDATE matches SET rules_version = 0 WHERE id = 1")
    report = await verified(path)
    assert (report.other_rules, report.faults) == (1, ())


@asynccontextmanager
async def cup_that_is_over() -> AsyncIterator[tuple[MemoryStore, TournamentRecord]]:
    """A tournament of three bots in a store where its rows can be tampered with."""
    async with table() as there:
        for seed, name in enumerate(("ada", "bob", "cyd")):
            await there.bot(name, at_random(seed))
        order = TournamentOrder(name="Cup", game=GAME, bots=("ada", "bob", "cyd"))
        cup = await there.server.tournaments.create(order)
        await over(there, cup.id)
        yield there.store, there.store.tables.tournaments[cup.id]


async def faults_of_tournaments(store: Store) -> list[str]:
    """What is found, all of it in tournament 1."""
    faults = [fault for fault in (await verify(store)).faults if fault.what == "tournament"]
    assert {fault.number for fault in faults} <= {1}
    return [fault.fault for fault in faults]


@virtual_time
async def test_a_tournament_must_have_noted_what_its_matches_say() -> None:
    async with cup_that_is_over() as (store, cup):
        assert (await verify(store)).faults == ()
        marks = cup.state["marks"]
        for wrong, says in (
            ({"1": "0", "0": "1", "=": "1"}[marks[0]] + marks[1:], "game 0 is marked"),
            ("." + marks[1:], "game 0 is marked '.', but the tournament has ended"),
            ("." + marks[1:], "it has ended, but its schedule is not over"),
            ("+" + marks[1:], "game 0 is marked '+', but 1 match of it has a result"),
        ):
            cup.state["marks"] = wrong
            found = await faults_of_tournaments(store)
            assert any(says in fault for fault in found), (says, found)
        cup.state["marks"] = marks


@virtual_time
async def test_a_game_that_is_lost_doubled_turned_or_off_the_schedule_is_found() -> None:
    async with cup_that_is_over() as (store, _):
        matches = store.tables.matches
        first = matches[MatchId(1)]
        again = replace(first, id=MatchId(99), key="again")
        store.tables.moves[again.id] = {}
        for tampered, says in (
            (matches | {first.id: replace(first, tournament_id=None)}, "no match of it has a result"),
            (matches | {again.id: again}, "game 0 has 2 results, of matches 1, 99"),
            (matches | {first.id: replace(first, seats=first.seats[::-1])}, "has other bots on its seats in match 1"),
            (matches | {again.id: replace(again, pairing=77)}, "meeting 77, game 0 has a result and is not on"),
        ):
            store.tables.matches = tampered
            found = await faults_of_tournaments(store)
            assert any(says in fault for fault in found), (says, found)
        store.tables.matches = matches
        del store.tables.moves[again.id]


@pytest.mark.parametrize("wrong", [False, True])
async def test_counts_must_agree_with_the_results(filled: Path, tmp_path: Path, wrong: bool) -> None:
    copy = tmp_path / "copy.db"
    shutil.copy(filled, copy)
    store = await open_store(str(copy))
    standings = StandingsCache(store, keeps_counts=True)
    await standings.prepare()
    await standings.close()
    if wrong:
        counted = CountedResults.from_text(await store.setting(COUNTERS_KEY) or "")
        counted.add_all(await store.results(limit=1))  # one twice
        counted.seen = (await store.results())[-1].number
        await store.put_setting(COUNTERS_KEY, counted.text())
    report = await verify(store)
    await store.close()
    sentence = "what is kept of the counted results is not what the results say"
    assert [fault.fault for fault in report.faults] == [sentence] * wrong
