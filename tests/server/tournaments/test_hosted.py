"""Tournaments of bots whose programs are started only when they have a game."""

from __future__ import annotations

import asyncio

import pytest

from tabiya.protocol.messages import MatchEnded
from tabiya.server.tournaments.hosted import Entrant
from tabiya.storage.records import BotId, TournamentRecord
from tests.present import present
from tests.server.local_bots import LocalBot, Table, at_random, table
from tests.server.tournaments.cups import CHESS, GAME, check_games, order, over
from tests.virtual_time import virtual_time

STARTING_S, POLL_S = 5.0, 0.5


class Starter:
    """Starts programs for the games that wait for them, two at a time, and ends each after its game."""

    def __init__(self, there: Table, places: int = 2) -> None:
        self._there, self._places = there, places
        self._able: dict[BotId, Entrant] = {}
        self._running: dict[BotId, asyncio.Task[None]] = {}
        self.ending = set[BotId]()
        self.most = 0

    async def keeps(self, *bots: str) -> None:
        """These bots have programs, and are not connected."""
        for name in bots:
            bot = await self._there.bot(name)
            bot.client.cut()
            await asyncio.sleep(POLL_S)
            record = present(await self._there.store.bot_by_name(name))
            self._able[record.id] = Entrant(record.id, name, "1f")

    def able(self, game: str) -> dict[BotId, Entrant]:
        return self._able if game == GAME else {}

    def may_begin(self, bot: BotId) -> bool:
        return bot not in self.ending

    def lose(self, name: str) -> None:
        """A program is not kept any more."""
        self._able = {key: entrant for key, entrant in self._able.items() if entrant.name != name}

    async def work(self) -> None:
        """Until cancelled."""
        while True:
            for bots in self._there.server.tournaments.awaited():
                sessions = self._there.dispatcher.sessions
                missing = [bot for bot in bots if bot not in self._running and sessions.by_bot(bot) is None]
                if len(missing) <= self._places - len(self._running):
                    for bot in missing:
                        self._running[bot] = asyncio.create_task(self._turn(bot))
            self.most = max(self.most, len(self._running))
            await asyncio.sleep(POLL_S)

    async def all_ended(self) -> None:
        """Wait for the turns that have begun."""
        await asyncio.gather(*self._running.values())

    async def _turn(self, bot: BotId) -> None:
        await asyncio.sleep(STARTING_S)
        player: LocalBot = await self._there.bot(self._able[bot].name, at_random(bot), 0.1)
        await player.receives(MatchEnded)
        while self._there.dispatcher.runner.matches_of(bot):  # noqa: ASYNC110 - the second game of the meeting has begun in the step
            await asyncio.sleep(POLL_S)
        self.ending.add(bot)
        player.client.cut()
        await asyncio.sleep(POLL_S)
        self.ending.discard(bot)
        del self._running[bot]


async def played(there: Table, starter: Starter, **fields: object) -> TournamentRecord:
    there.server.tournaments.programs = starter
    working = asyncio.create_task(starter.work())
    created = await there.server.tournaments.create(order(**({"bots": ()} | fields)))  # type: ignore[arg-type]
    record = await over(there, created.id)
    working.cancel()
    await starter.all_ended()
    await check_games(there, record)
    return record


@virtual_time
async def test_programs_are_started_for_their_games_and_nobody_is_withdrawn_for_being_away() -> None:
    async with table() as there:
        starter = Starter(there)
        await starter.keeps("ada", "bob", "eve", "fay")
        await there.bot("home", at_random(7), 0.1)
        record = await played(there, starter, everyone=True, concurrency=4, no_show_s=10)
        assert [(entry.bot, entry.withdrawn) for entry in record.entries] == [
            (name, False) for name in ("ada", "bob", "eve", "fay", "home")
        ]
        assert [entry.version for entry in record.entries] == ["1f"] * 4 + [""]
        assert record.ended_at is not None
        assert record.started_at is not None
        assert record.ended_at - record.started_at > 10  # who was withdrawn for that would have been
        assert starter.most == 2


@pytest.mark.parametrize("form", ["swiss", "knockout", "ladder"])
@virtual_time
async def test_formats_that_pair_as_they_go_wait_for_programs_as_well(form: str) -> None:
    async with table() as there:
        starter = Starter(there)
        await starter.keeps("ada", "bob", "eve", "fay")
        games = {"games": 8} if form == "ladder" else {}
        record = await played(there, starter, bots=("ada", "bob", "eve", "fay"), format=form, **games)
        assert not any(entry.withdrawn for entry in record.entries)
        assert starter.most == 2


@virtual_time
async def test_a_program_that_is_not_kept_any_more_is_away() -> None:
    async with table() as there:
        starter = Starter(there)
        await starter.keeps("ada", "bob", "eve")
        starter.lose("eve")
        record = await played(there, starter, bots=("ada", "bob", "eve"), no_show_s=10)
        assert [entry.withdrawn for entry in record.entries] == [False, False, True]


@virtual_time
async def test_no_program_is_awaited_for_another_game_or_while_the_tournament_is_paused() -> None:
    async with table() as there:
        starter = Starter(there)
        await starter.keeps("ada", "bob")
        there.server.tournaments.programs = starter
        chess = await there.server.tournaments.create(order(("ada", "bob"), game=CHESS, no_show_s=600))
        assert there.server.tournaments.awaited() == []
        await there.server.tournaments.cancel(chess.id)
        await asyncio.sleep(POLL_S)  # two orders of one moment are one
        created = await there.server.tournaments.create(order(("ada", "bob")))
        bots = [entry.bot_id for entry in created.entries]
        assert [set(pair) for pair in there.server.tournaments.awaited()] == [set(bots)]
        assert there.server.tournaments.needs(bots[0])
        await there.server.tournaments.pause(created.id)
        assert there.server.tournaments.awaited() == []
        assert not there.server.tournaments.needs(bots[0])
