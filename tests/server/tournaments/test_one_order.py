"""One order is one tournament, whatever happens between its parts and to its answer."""

from __future__ import annotations

import asyncio

import pytest

from tabiya.server.tournaments.settings import TournamentError
from tabiya.storage.records import NewTournament, TournamentId
from tests.server.local_bots import table
from tests.server.tournaments.cups import check_games, order, over, players
from tests.virtual_time import virtual_time

CUP = order(("bot0", "bot1"), key="cup of May")


@virtual_time
async def test_a_server_killed_between_creation_and_start_starts_the_tournament_when_it_is_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with table() as before:
        await players(before, 2)
        stored, create = asyncio.Event(), before.store.create_tournament

        async def create_and_no_more(new: NewTournament) -> TournamentId:
            await create(new)
            stored.set()
            await asyncio.Event().wait()
            raise AssertionError

        monkeypatch.setattr(before.store, "create_tournament", create_and_no_more)
        ordering = asyncio.ensure_future(before.server.tournaments.create(CUP))
        await stored.wait()
        tables = await before.crash()
        ordering.cancel()
    assert [cup.status for cup in tables.tournaments.values()] == ["created"]
    async with table(tables) as after:
        await players(after, 2)
        await check_games(after, await over(after, 1))
        again = await after.server.tournaments.create(CUP)
        assert (again.id, again.status, len(after.store.tables.tournaments)) == (1, "ended", 1)


@virtual_time
async def test_the_same_order_again_is_answered_with_the_same_tournament() -> None:
    async with table() as there:
        await players(there, 2)
        tournaments = there.server.tournaments
        found = await asyncio.gather(*(tournaments.create(CUP) for _ in range(3)))
        assert {(each.id, each.status) for each in found} == {(1, "running")}
        other = await tournaments.create(order(("bot0", "bot1"), key="cup of June", name="Bowl"))
        assert other.id == 2
        with pytest.raises(TournamentError, match="the key 'cup of May' was already used for another tournament: 1"):
            await tournaments.create(order(("bot0", "bot1"), key="cup of May", name="Vase"))


@virtual_time
async def test_a_tournament_that_is_not_to_start_waits_after_a_restart_too() -> None:
    async with table() as before:
        await players(before, 2)
        await before.server.tournaments.create(order(("bot0", "bot1"), start=False))
        tables = await before.crash()
    async with table(tables) as after:
        await players(after, 2)
        await asyncio.sleep(60)
        assert after.store.tables.tournaments[TournamentId(1)].status == "created"


@virtual_time
async def test_an_order_to_begin_at_once_with_everybody_makes_nothing_when_nobody_is_there() -> None:
    async with table() as there:
        with pytest.raises(TournamentError, match="2 bots or more, not 0"):
            await there.server.tournaments.create(order((), everyone=True))
        assert there.store.tables.tournaments == {}
        await players(there, 2)
        assert (await there.server.tournaments.create(order((), everyone=True))).status == "running"
