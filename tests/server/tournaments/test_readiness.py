"""Which entrants could not play now, and what is said of them to who enters them."""

from __future__ import annotations

import asyncio
from unittest import mock

import pytest

from tabiya.server.tournaments.hosted import Entrant
from tabiya.storage.program_records import NewProgram, ProgramState
from tabiya.storage.records import BotId
from tests.present import present
from tests.server.local_bots import Table, at_random, table
from tests.server.tournaments.cups import CHESS, GAME, order
from tests.virtual_time import virtual_time

WITHDRAWN = "A bot that is away for 60 s is withdrawn."


class AllPlay:
    """The programs of these bots are started when they have a game."""

    def __init__(self, *bots: BotId) -> None:
        self._able = {bot: Entrant(bot, f"bot {bot}", "1f") for bot in bots}

    def able(self, game: str) -> dict[BotId, Entrant]:
        return self._able

    def may_begin(self, bot: BotId) -> bool:
        return True


async def away(there: Table, name: str) -> BotId:
    """A bot that was connected once."""
    bot = await there.bot(name)
    bot.client.cut()
    await asyncio.sleep(1)
    return present(await there.store.bot_by_name(name)).id


async def uploaded(there: Table, bot: BotId, *versions: tuple[str, ProgramState], used: int = 0) -> None:
    """Versions of a program: the game and the state of each. used: the number of the one in use, 0 for none."""
    for number, (game, state) in enumerate(versions, 1):
        program = await there.store.add_program(
            NewProgram(bot_id=bot, game=game, digest=f"{number}f", file_name="bot.py", archive=b"a zip", created_at=1.0)
        )
        if state != "new":
            await there.store.keep_examination(program.id, state, "{}")
        if number == used:
            await there.store.use_program(bot, program.id)


async def notices(there: Table, *bots: str) -> tuple[str, ...]:
    """The warnings about a tournament of these bots that waits for its start."""
    return await there.server.tournaments.warnings(await there.server.tournaments.create(order(bots, start=False)))


@virtual_time
async def test_nothing_is_said_of_bots_that_are_connected_or_whose_programs_are_started() -> None:
    async with table() as there:
        await there.bot("ada", at_random(1))
        there.server.tournaments.programs = AllPlay(await away(there, "bob"))
        assert await notices(there, "ada", "bob") == ()


@pytest.mark.parametrize(
    ("versions", "used", "reason"),
    [
        ([], 0, "not connected"),
        ([(GAME, "refused")], 0, "not connected, and version 1 of its program has failed its check"),
        ([(GAME, "good"), (GAME, "refused")], 0, "not connected, and version 2 of its program has failed its check"),
        ([(GAME, "new")], 0, "not connected, and version 1 of its program has not been checked yet"),
        ([(GAME, "good")], 0, "not connected, and no version of its program is in use"),
        ([(CHESS, "good")], 1, f"not connected, and its program plays {CHESS}"),
        ([(GAME, "good")], 1, "not connected, and version 1 of its program is disabled or set aside"),
    ],
)
@virtual_time
async def test_absent_bots_are_named_with_the_reason_why_no_program_plays(
    versions: list[tuple[str, ProgramState]], used: int, reason: str
) -> None:
    async with table() as there:
        await there.bot("ada", at_random(1))
        await uploaded(there, await away(there, "eve"), *versions, used=used)
        assert await notices(there, "ada", "eve") == (f"eve cannot play now: {reason}.", WITHDRAWN)


@virtual_time
async def test_the_store_is_asked_once_about_all_who_are_away_each_with_its_own_program() -> None:
    async with table() as there:
        await uploaded(there, await away(there, "ada"), (GAME, "refused"))
        await uploaded(there, await away(there, "eve"), (GAME, "good"), (GAME, "new"))
        with mock.patch.object(there.store, "programs", wraps=there.store.programs) as asked:
            announced = await notices(there, "ada", "eve")
        asked.assert_called_once()
        assert announced == (
            "ada cannot play now: not connected, and version 1 of its program has failed its check.",
            "eve cannot play now: not connected, and version 2 of its program has not been checked yet.",
            WITHDRAWN,
        )


@virtual_time
async def test_a_bot_that_is_connected_for_other_games_only_is_named() -> None:
    async with table() as there:
        await there.bot("ada", at_random(1))
        await there.bot("eve", at_random(2), games=(CHESS,))
        assert await notices(there, "ada", "eve") == (
            f"eve cannot play now: connected, but not for {GAME}.",
            WITHDRAWN,
        )


@virtual_time
async def test_many_with_the_same_reason_are_one_sentence_and_who_is_withdrawn_is_in_none() -> None:
    async with table() as there:
        names = [f"bot{number}" for number in range(13)]
        for name in names:
            await away(there, name)
        tournaments = there.server.tournaments
        created = await tournaments.create(order(tuple(names), start=False))
        left = await tournaments.withdraw(created.id, "bot0")
        named = ", ".join(names[1:11])
        assert await tournaments.warnings(left) == (f"{named} and 2 more cannot play now: not connected.", WITHDRAWN)
        assert await tournaments.warnings(left, ["bot12"]) == ("bot12 cannot play now: not connected.", WITHDRAWN)
