"""What a starting server finds damaged stands still and is told of; everything else goes on."""

from __future__ import annotations

import logging
from pathlib import Path

import aiohttp
import pytest

from tabiya.server.app import TabiyaServer
from tabiya.server.tournaments.settings import TournamentOrder
from tabiya.storage.open import open_store
from tabiya.storage.records import MatchFilter, MatchId
from tests.live import live_server
from tests.server.planted import GAME, LINE, change, fill_a_page_with, plays, two_players
from tests.storage.sql.broken_files import break_page_with

PLANTED = {
    2: ("UPDATE matches SET options = '{' WHERE id = 2", "cannot be read"),
    3: ("UPDATE moves SET info = '[7' WHERE match_id = 3 AND ply = 1", "cannot be read"),
    4: ("DELETE FROM moves WHERE match_id = 4 AND ply = 0", "no move for ply 0"),
    5: ("UPDATE moves SET text = 'a1' WHERE match_id = 5 AND ply = 1", "ply 1 cannot be played"),
    6: ("UPDATE matches SET game = 'halma' WHERE id = 6", "halma"),
    7: ("UPDATE matches SET rules_version = 99 WHERE id = 7", "tictactoe 99"),
    8: ("UPDATE matches SET time_control = 'soon' WHERE id = 8", "'soon'"),
    9: ("UPDATE moves SET think_us = 7 WHERE match_id = 9 AND ply = 1", "do not follow from its account"),
    10: ("UPDATE matches SET remaining0_us = 'much' WHERE id = 10", ""),
    11: ("UPDATE matches SET status = 'running' WHERE id = 11", "but no result is stored"),
}
"""Running matches, how each is damaged, and what is said of it. Match 1 is whole; 11 has lost its result."""


async def damaged_database(path: Path) -> None:
    """A database of these matches."""
    store = await open_store(str(path))
    bots = await two_players(store)
    for number in range(1, 11):
        await plays(store, bots, "a1 a2 b1", control=f"{60 + number}+0")
    await plays(store, bots, LINE)
    await store.close()
    change(path, *(statement for statement, _ in PLANTED.values()), "DELETE FROM results WHERE match_id = 11")


def running(server: TabiyaServer) -> list[int]:
    """The matches that go on."""
    return [active.record.id for active in server.dispatcher.runner.running()]


@pytest.mark.slow
@pytest.mark.usefixtures("errors_expected")
async def test_damaged_matches_are_quarantined_and_reported_and_the_rest_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "games.db"
    await damaged_database(path)
    caplog.set_level(logging.INFO, "tabiya")
    async with live_server(str(path)) as server, aiohttp.ClientSession() as visitor:
        assert running(server) == [1]
        assert "10 matches are frozen" in caplog.text
        for number, (_, says) in PLANTED.items():
            assert f"match {number} cannot be restored and is frozen: " in caplog.text
            record = await server.store.match(MatchId(number))
            assert record is not None
            assert record.status == "frozen"
            assert record.frozen_reason is not None
            assert says in record.frozen_reason
        for place in ("/", "/matches", "/matches?status=frozen", "/api/v1/matches", "/standings", "/bots/ada"):
            async with visitor.get(f"{server.pages_url}{place}") as answer:
                assert answer.status == 200, place
        async with visitor.get(f"{server.pages_url}/api/v1/matches?status=frozen") as answer:
            listed = (await answer.json())["matches"]
        assert [match["id"] for match in listed] == sorted(PLANTED, reverse=True)
        assert [match["id"] for match in listed if match["fault"]] == [10, 2]
        for number in PLANTED:
            async with visitor.get(f"{server.pages_url}/api/v1/matches/{number}") as answer:
                assert answer.status == 200, number
            async with visitor.get(f"{server.pages_url}/matches/{number}") as answer:
                assert answer.status == 200, number
    async with live_server(str(path)) as server:
        assert running(server) == [1]


@pytest.mark.usefixtures("errors_expected")
async def test_a_broken_page_of_the_file_stops_only_the_match_that_it_held(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    store = await open_store(str(path))
    bots = await two_players(store)
    for number in range(1, 4):
        await plays(store, bots, "a1 a2 b1", control=f"{60 + number}+0")
    await store.close()
    break_page_with(path, fill_a_page_with(path, 2))
    async with live_server(str(path)) as server:
        assert running(server) == [1, 3]


@pytest.mark.usefixtures("errors_expected")
async def test_a_damaged_tournament_stands_still_and_the_server_starts(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    async with live_server(str(path)) as server:
        await two_players(server.store)
        for name in ("Cup", "Shield"):
            await server.tournaments.create(TournamentOrder(name=name, game=GAME, bots=("ada", "bob")))
    change(path, "UPDATE tournaments SET state = '{' WHERE name = 'Cup'")
    async with live_server(str(path)) as server:
        assert [director.record.name for director in server.tournaments._directors.values()] == ["Shield"]
        cup = (await server.store.list_tournaments())[1]
        assert cup.damage is not None
        assert cup.damage.startswith("tournament 1 cannot be read: ")
        assert await server.store.list_matches(MatchFilter(status="frozen")) == ()
