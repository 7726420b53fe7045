"""Games that the server itself arranges between two bots that are there."""

from __future__ import annotations

from tabiya.games.registry import names
from tabiya.protocol.messages import MatchEnded, MatchStarted
from tests.present import present
from tests.server.local_bots import first_legal, silent, table
from tests.virtual_time import virtual_time

GAME = names()[0]


@virtual_time
async def test_two_that_seek_nothing_play_a_pair_of_rated_games_with_seats_changed() -> None:
    async with table(rate_guests=True) as there:
        bots = [await there.bot(name, first_legal) for name in ("ada", "bob")]
        ada, bob = (present(there.dispatcher.sessions.by_name(bot.name)) for bot in bots)
        for number in (1, 2):
            assert there.dispatcher.matchmaker.arrange(ada, bob, GAME)
            await bots[0].receives(MatchEnded, number)
        first, second = bots[0].received(MatchStarted)
        assert (first.rated, second.rated, first.position) == (True, True, second.position)
        assert {first.seat, second.seat} == {0, 1}


@virtual_time
async def test_arranged_games_respect_a_bots_limit_and_its_games() -> None:
    async with table() as there:
        ada, bob = await there.bot("ada", silent), await there.bot("bob", silent, games=frozenset({GAME}))
        one, two = (present(there.dispatcher.sessions.by_name(bot.name)) for bot in (ada, bob))
        arrange = there.dispatcher.matchmaker.arrange
        assert not arrange(one, two, names()[1])
        assert arrange(one, two, GAME)
        assert not arrange(two, one, GAME)  # one match each, which is being made
        await ada.receives(MatchStarted)
        assert not arrange(one, two, GAME)
        there.dispatcher.matchmaker.closing = True
        assert not arrange(two, one, GAME)
