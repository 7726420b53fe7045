"""The ladder of hosted programs on a server: when it runs, whom it starts, and which games it arranges."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest

from tabiya.hosting.ladder import GAMES_A_DAY, HOUSE_AFTER_S, Ladder
from tabiya.hosting.turns import MOST_FAILURES, Queue
from tabiya.protocol.messages import MatchEnded, MatchStarted
from tabiya.server.app import TabiyaServer
from tabiya.server.hosting import ProgramRefused
from tabiya.server.tournaments.hosted import Entrant, NoPrograms
from tabiya.server.tournaments.settings import TournamentOrder
from tabiya.storage.program_records import NewProgram, ProgramId, ProgramRecord
from tabiya.storage.records import BotId, BotRecord
from tests.present import present
from tests.server.local_bots import LocalBot, first_legal
from tests.server.standings.test_cache import play
from tests.server.web.web_server import WebServer, web_server

NOON = datetime.fromisoformat("2026-11-26T12:00")


@dataclass
class Hosted:
    """A server with a ladder, whose programs are local bots."""

    web: WebServer
    ladder: Ladder
    tokens: dict[str, str]

    @property
    def server(self) -> TabiyaServer:
        return self.web.server

    async def program(self, name: str, game: str = "nim") -> ProgramRecord:
        """A version that plays."""
        _, self.tokens[name] = await self.server.accounts.register(name, "", by_operator=True)
        bot = await self.record(name)
        new = NewProgram(bot_id=bot.id, game=game, digest="1f", file_name="b.py", archive=b"", created_at=1.0)
        program = await self.web.store.add_program(new)
        await self.web.store.keep_examination(program.id, "good", "")
        await self.web.store.use_program(bot.id, program.id)
        (program,) = await self.web.store.programs(bot.id)
        return program

    async def record(self, name: str) -> BotRecord:
        return present(await self.web.store.bot_by_name(name))

    async def runs(self, name: str, **hello: Any) -> LocalBot:
        """It is connected, as its worker would do it, and seeks nothing."""
        return await self.web.bot(name, first_legal, token=self.tokens.get(name, ""), version="1f", **hello)

    async def reopened(self, at: datetime) -> Ladder:
        """The ladder of another server on the same store, at another time."""
        self.ladder = Ladder(self.server, now=lambda: at)
        await self.ladder.open()
        return self.ladder

    def next(self, *programs: ProgramRecord, running: tuple[ProgramId, ...] = (), free: int = 2) -> list[int]:
        return [each.id for each in self.ladder.next(Queue(programs, running, {}, {}, free))]


class Kept(NoPrograms):
    """Programs of these bots are kept."""

    def __init__(self, bots: dict[BotId, Entrant]) -> None:
        self._bots = bots

    def able(self, game: str) -> dict[BotId, Entrant]:
        return self._bots


@pytest.fixture
async def hosted() -> AsyncIterator[Hosted]:
    async with web_server() as web:
        yield Hosted(web, Ladder(web.server, now=lambda: NOON), {})


async def test_programs_play_in_the_hours_and_as_many_at_once_as_an_operator_says(hosted: Hosted) -> None:
    programs = [await hosted.program(name) for name in ("ada", "bob", "eve")]
    assert len(hosted.next(*programs)) == 2
    await hosted.server.settings.change({"hosted_hours": "18:00-08:00"})
    assert hosted.next(*programs) == []
    await hosted.server.settings.change({"hosted_hours": "8-18"})
    assert len(hosted.next(*programs)) == 2
    await hosted.server.settings.change({"hosted_at_once": 3})
    assert len(hosted.next(*programs, running=(ProgramId(98), ProgramId(99)))) == 0  # of two no place for a pair
    assert len(hosted.next(*programs, running=(programs[0].id, ProgramId(99)))) == 1


async def test_partners_are_of_one_division_and_of_similar_rating(hosted: Hosted) -> None:
    programs = {name: await hosted.program(name) for name in ("ada", "bob", "eve", "fay")}
    for winner, loser in (("ada", "bob"), ("bob", "eve"), ("eve", "fay")):
        for _ in range(3):
            await play(hosted.web.store, winner, loser, 0, game="nim", versions=("1f", "1f"))
    await hosted.ladder.refresh(programs.values())
    assert set(hosted.ladder._rated) == {program.id for program in programs.values()}
    await hosted.server.seasons.begin("nim", "", size=2, moving=1)
    await hosted.ladder.refresh(programs.values())
    chosen = hosted.next(*programs.values())
    assert set(chosen) in ({programs["ada"].id, programs["bob"].id}, {programs["eve"].id, programs["fay"].id})


async def test_a_program_without_a_partner_plays_a_built_in_player(hosted: Hosted) -> None:
    ada = await hosted.program("ada")
    assert hosted.next(ada) == []
    hosted.server.house_bots = {"greedy": {"nim": "takes"}}
    await hosted.web.bot("greedy", first_legal, max_matches=8)
    assert hosted.next(ada) == [ada.id]
    bot = await hosted.runs("ada")
    await hosted.ladder.arrange([ada], {ada.id: 1}, now_s=0.0)
    await hosted.ladder.arrange([ada], {ada.id: 1}, now_s=HOUSE_AFTER_S - 0.1)
    await asyncio.sleep(0)
    assert bot.received(MatchStarted) == []
    await hosted.ladder.arrange([ada], {ada.id: 1}, now_s=HOUSE_AFTER_S)
    await bot.receives(MatchEnded)
    await hosted.ladder.arrange([ada], {ada.id: 3}, now_s=HOUSE_AFTER_S + 1)  # a turn that begins against the house
    await bot.receives(MatchEnded, 2)
    assert {seat.bot for match in await hosted.web.store.list_matches() for seat in match.seats} == {"ada", "greedy"}


async def test_games_of_a_tournament_come_before_all_others_and_at_all_hours(hosted: Hosted) -> None:
    programs = [await hosted.program(name) for name in ("ada", "bob", "eve", "fay")]
    ada, eve = programs[0], programs[2]
    able = {each.bot_id: Entrant(each.bot_id, name, "1f") for each, name in ((ada, "ada"), (eve, "eve"))}
    hosted.server.tournaments.programs = Kept(able)
    await hosted.server.settings.change({"hosted_hours": "18:00-08:00"})
    order = TournamentOrder(name="Cup", game="nim", bots=("ada", "eve"), format="round_robin", concurrency=1)
    created = await hosted.server.tournaments.create(order)
    assert hosted.next(*programs) == [ada.id, eve.id]
    assert hosted.next(*programs, running=(programs[1].id,), free=1) == []  # there is no place for both
    assert hosted.next(*programs, running=(ada.id,)) == [eve.id]
    await hosted.server.settings.change({"hosted_hours": "", "hosted_at_once": 4})
    assert hosted.next(*programs, running=(ada.id, eve.id)) == [programs[1].id, programs[3].id]  # not with these two
    await hosted.server.tournaments.cancel(created.id)
    assert set(hosted.next(*programs, free=4)) == {each.id for each in programs}


async def test_games_that_an_owner_asks_for_are_played_between_these_two(hosted: Hosted) -> None:
    programs = [await hosted.program(name) for name in ("ada", "bob", "eve", "fay")]
    ada, fay = await hosted.record("ada"), await hosted.record("fay")
    assert await hosted.ladder.ask_for(ada, fay, "nim", 2) == GAMES_A_DAY - 2
    assert hosted.next(*programs) == [programs[0].id, programs[3].id]
    assert hosted.next(*programs, running=(programs[0].id,), free=1) == [programs[3].id]  # ada comes
    aside = Queue(programs, [], {}, {programs[3].id: MOST_FAILURES}, 2)
    assert programs[3] not in hosted.ladder.next(aside)
    one, two = await hosted.runs("ada"), await hosted.runs("fay")
    for number in (1, 2):
        await hosted.ladder.arrange(programs, {}, now_s=0.0)
        await one.receives(MatchEnded, number)
        await two.receives(MatchEnded, number)
    await hosted.ladder.arrange(programs, {}, now_s=0.0)
    await asyncio.sleep(0)
    assert len(await hosted.web.store.list_matches()) == 2
    with pytest.raises(ProgramRefused, match="18 are left today"):
        await hosted.ladder.ask_for(ada, fay, "nim", 19)


async def test_what_owners_ask_for_outlives_the_server_with_what_has_begun_and_with_the_count_of_the_day(
    hosted: Hosted,
) -> None:
    programs = [await hosted.program(name) for name in ("ada", "bob")]
    ada, bob = await hosted.record("ada"), await hosted.record("bob")
    await hosted.ladder.ask_for(ada, bob, "nim", 3)
    one, two = await hosted.runs("ada"), await hosted.runs("bob")
    await hosted.ladder.arrange(programs, {}, now_s=0.0)
    await one.receives(MatchEnded)
    await two.receives(MatchEnded)
    again = await hosted.reopened(NOON + timedelta(hours=11))
    with pytest.raises(ProgramRefused, match="17 are left today"):
        await again.ask_for(ada, bob, "nim", 18)
    assert await again.ask_for(bob, ada, "nim", 1) == GAMES_A_DAY - 1  # each owner has a count of her own
    for number in (2, 3, 4):
        await again.arrange(programs, {}, now_s=0.0)
        await one.receives(MatchEnded, number)
        await two.receives(MatchEnded, number)
    assert [wish.waiting for wish in await hosted.web.store.wishes()] == [0, 0]
    tomorrow = await hosted.reopened(NOON + timedelta(days=1))
    assert await tomorrow.ask_for(ada, bob, "nim", 20) == 0
    assert [wish.games for wish in await hosted.web.store.wishes()] == [20]  # those of yesterday are forgotten
    assert len(tomorrow._wishes) == 1


async def test_games_that_are_taken_back_are_not_begun_and_count_for_nothing(hosted: Hosted) -> None:
    programs = [await hosted.program(name) for name in ("ada", "bob")]
    ada, bob = await hosted.record("ada"), await hosted.record("bob")
    await hosted.ladder.ask_for(ada, bob, "nim", 5)
    one = await hosted.runs("ada")
    await hosted.runs("bob")
    await hosted.ladder.arrange(programs, {}, now_s=0.0)
    await one.receives(MatchEnded)
    (wish,) = await hosted.web.store.wishes(ada.id)
    for _ in range(2):
        await hosted.ladder.take_back_games(wish)
    await hosted.ladder.arrange(programs, {}, now_s=0.0)
    await asyncio.sleep(0)
    assert len(await hosted.web.store.list_matches()) == 1
    assert await hosted.ladder.ask_for(ada, bob, "nim", 19) == 0
    *_, wish = await hosted.web.store.wishes(ada.id)
    await hosted.ladder.take_back_games(wish)
    assert await hosted.ladder.ask_for(ada, bob, "nim", 1) == 18
