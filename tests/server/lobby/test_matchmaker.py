"""Who is paired with whom on a running server: seeks, seats and openings in pairs, what is rated, how many at once."""

from __future__ import annotations

import asyncio

import pytest

from tabiya.games.registry import names
from tabiya.protocol.limits import WireLimits
from tabiya.protocol.messages import (
    Accept,
    Challenge,
    Challenged,
    MatchEnded,
    MatchStarted,
    Notice,
    Resign,
    Seek,
    Unseek,
    Welcome,
)
from tabiya.server.ratings.results import GamesBetween
from tabiya.server.standings.counters import CountedResults, Player, View
from tabiya.storage.memory_tables import MemoryTables
from tabiya.storage.store import Store
from tests.server.local_bots import LocalBot, Table, first_legal, silent, table
from tests.virtual_time import virtual_time

GAME, CHESS = names()[0], "chess"


async def between(store: Store) -> GamesBetween:
    """What the standings count of the games of Ada against Bob."""
    tally = CountedResults()
    tally.add_all(await store.results())
    return tally.of(GAME).results_of(View()).between(Player("ada", ""), Player("bob", ""))


@virtual_time
async def test_seekers_play_again_and_again_with_colours_and_openings_in_pairs() -> None:
    async with table() as there:
        ada, bob = await there.bot("ada", first_legal), await there.bot("bob", first_legal)
        for bot in (ada, bob):
            bot.say(Seek(game=names()[1], rated=False, time="none"))
        await ada.receives(MatchEnded, 8)
        started = ada.received(MatchStarted)[:8]
        assert (started[0].rated, started[0].time_control) == (False, "none")
        assert [one.seat for one in started] in ([0, 1] * 4, [1, 0] * 4)
        openings = [(one.position, one.opening) for one in started]
        assert openings[0::2] == openings[1::2]
        assert len(set(openings)) > 1
        for bot in (ada, bob):
            bot.say(Unseek(game=names()[1]))
        await asyncio.sleep(60)
        count = len(ada.received(MatchStarted))
        await asyncio.sleep(60)
        assert len(ada.received(MatchStarted)) == len(ada.received(MatchEnded)) == count


@virtual_time
async def test_two_games_of_the_same_two_on_the_same_terms_count_as_a_pair() -> None:
    async with table(rate_guests=True) as there:
        ada, bob = await there.bot("ada", silent), await there.bot("bob", silent)
        for number, control in enumerate(("30+1", "30+1", "60+0", "30+1", "30+1", "60+0"), 1):
            ada.say(Challenge(opponent="bob", game=GAME, time=control))
            bob.say(Accept(challenge=(await bob.receives(Challenged, number)).challenge))
            started = await ada.receives(MatchStarted, number)
            ada.say(Resign(match=started.match))
            await ada.receives(MatchEnded, number)
        # the third game and the fourth, the fifth and the sixth are on different terms
        found = await between(there.store)
        assert (found.losses, found.pairs.counts) == (6, (1, 0, 0, 0, 0))


async def rated_games(ada: LocalBot, bob: LocalBot, there: Table) -> tuple[bool, bool, bool, int]:
    """What a challenge, its match and a match by seeks say of being rated, and how many games were."""
    ada.say(Challenge(opponent=bob.name, game=GAME))
    asked = await bob.receives(Challenged)
    bob.say(Accept(challenge=asked.challenge))
    started = [await ada.receives(MatchStarted)]
    ada.say(Resign(match=started[0].match))
    await ada.receives(MatchEnded)
    for bot in (ada, bob):
        bot.say(Seek(game=GAME))
    started.append(await ada.receives(MatchStarted, 2))
    ada.say(Resign(match=started[1].match))
    await ada.receives(MatchEnded, 2)
    return asked.rated, started[0].rated, started[1].rated, sum(one.rated for one in await there.store.results())


@virtual_time
async def test_games_of_guests_are_not_rated_and_welcome_and_challenge_say_so() -> None:
    """Fifteen guests once resigned 300 games to one bot in 0.7 s, and every rating moved by hundreds of points."""
    async with table() as there:
        accounts = there.server.accounts
        tokens = {name: (await accounts.register(name, accounts.invite_secret))[1] for name in ("ada", "bob")}
        ada, bob = [await there.bot(name, silent, token=tokens[name]) for name in ("ada", "bob")]
        assert ada.received(Welcome)[0].rated
        assert await rated_games(ada, bob, there) == (True, True, True, 2)
    async with table() as there:
        accounts = there.server.accounts
        _, token = await accounts.register("cy", accounts.invite_secret)
        cy, guest = await there.bot("cy", silent, token=token), await there.bot("guest", silent)
        assert [bot.received(Welcome)[0].rated for bot in (cy, guest)] == [True, False]
        assert await rated_games(guest, cy, there) == (False, False, False, 0)


@virtual_time
async def test_a_server_may_rate_its_guests() -> None:
    async with table(rate_guests=True) as there:
        ada, bob = await there.bot("ada", silent), await there.bot("bob", silent)
        assert ada.received(Welcome)[0].rated
        assert await rated_games(ada, bob, there) == (True, True, True, 2)


@virtual_time
async def test_meetings_in_two_lives_of_a_server_are_no_pair() -> None:
    tables = MemoryTables()
    for life in range(2):
        async with table(tables, rate_guests=True) as there:
            ada, bob = await there.bot("ada", silent), await there.bot("bob", silent)
            for number in range(1, 2 + life):
                ada.say(Challenge(opponent="bob", game=GAME))
                bob.say(Accept(challenge=(await bob.receives(Challenged, number)).challenge))
                ada.say(Resign(match=(await ada.receives(MatchStarted, number)).match))
                await ada.receives(MatchEnded, number)
            found = await between(there.store)
            assert (found.losses, found.pairs.number) == ((1, 0), (3, 1))[life]
            await there.crash()


@virtual_time
async def test_a_bot_plays_as_many_matches_at_once_as_it_has_said() -> None:
    async with table() as there:
        ada = await there.bot("ada", silent, max_matches=2, seek=(GAME,))
        for number in range(4):
            await there.bot(f"other{number}", silent, seek=(GAME,))
        await there.idle()
        assert len(ada.received(MatchStarted)) == 2
        ada.say(Resign(match=ada.received(MatchStarted)[0].match))
        await ada.receives(MatchStarted, 3)


@virtual_time
async def test_the_server_limits_the_matches_of_a_bot() -> None:
    async with table(max_matches=1, limits=WireLimits(matches_per_bot=1)) as there:
        bots = [await there.bot(f"bot{number}", silent, seek=(GAME,), max_matches=9) for number in range(4)]
        await there.idle()
        assert len(there.dispatcher.runner.running()) == 1
        playing = next(bot for bot in bots if bot.received(MatchStarted))
        playing.say(Resign(match=playing.received(MatchStarted)[0].match))
        await there.idle()
        assert sum(len(bot.received(MatchStarted)) for bot in bots) == 4


@virtual_time
async def test_an_impossible_seek_is_refused_with_the_reason() -> None:
    async with table(limits=WireLimits(seeks_per_bot=1)) as there:
        ada = await there.bot("ada")
        codes = [
            (await ada.refusal(message)).code
            for message in (
                Seek(game="go"),
                Seek(game=GAME, time="soon"),
                Seek(game=GAME, options={"heaps": "1000000"}),
                Seek(game=GAME, options={"colour": "red"}),
                Unseek(game=GAME),
            )
        ]
        assert codes == ["unknown_game", "bad_time_control", "bad_options", "bad_options", "not_seeking"]
        ada.say(Seek(game=GAME))
        ada.say(Seek(game=GAME, time="1+0", options={"heaps": "2,2"}))  # replaces the first: still one
        refused = await ada.refusal(Seek(game=CHESS))
        assert (refused.code, refused.about) == ("limit_reached", "seek")
        (entry,) = there.dispatcher.matchmaker.lobby.seeks()
        assert (entry.terms.time_control, entry.terms.options["heaps"]) == ("1+0", "2,2")
        bob = await there.bot("bob")
        bob.say(Challenge(opponent="ada", game=CHESS))
        await ada.receives(Challenged)
        assert (await bob.refusal(Seek(game=GAME))).code == "limit_reached"  # open challenges count, too


@virtual_time
async def test_a_seek_that_can_never_be_filled_is_refused_and_one_that_must_wait_is_said_to() -> None:
    async with table() as there:
        ada, eve = await there.bot("ada", silent), await there.bot("eve", max_matches=0)
        assert (await ada.refusal(Seek(game=GAME, opponent="Ada"))).code == "bot_not_available"
        assert (await eve.refusal(Seek(game=GAME))).code == "limit_reached"
        ada.say(Seek(game=GAME, opponent="büb"))
        notice = await ada.receives(Notice)
        assert (notice.kind, notice.text.split(";")[0]) == ("seek_waits", "there is no bot called 'büb'")
        ada.say(Seek(game=GAME, opponent="bob"))
        await ada.receives(Notice, 2)
        await there.bot("bob", silent, seek=(GAME,))
        await ada.receives(MatchStarted)


@virtual_time
async def test_a_bot_that_comes_again_while_its_match_is_made_is_seated_in_it_once() -> None:
    async with table() as there:
        _, token = await there.server.accounts.register("ada", "")
        older = await there.bot("ada", silent, token=token, seek=(GAME,))
        bob = await there.bot("bob", silent)
        there.store.hold_commits()
        bob.say(Seek(game=GAME))
        await there.idle()
        older.client.cut()
        newer = await there.bot("ada", silent, token=token, seek=(GAME,))
        await there.idle()
        there.store.release()
        await newer.receives(MatchStarted)
        await bob.receives(MatchStarted)
        await there.idle()
        assert len(there.dispatcher.runner.running()) == 1


@pytest.mark.parametrize("seat", [0, 1])
@virtual_time
async def test_a_chosen_seat_is_given_and_never_rated_and_leaves_the_pairs_alone(seat: int) -> None:
    async with table(rate_guests=True) as there:
        ada, bob = await there.bot("ada", silent), await there.bot("bob", silent)
        seats, rated = [], []
        for number, chosen in enumerate((None, seat, seat, None), 1):
            ada.say(Challenge(opponent="bob", game=GAME, seat=chosen))
            question = await bob.receives(Challenged, number)
            assert question.seat == (None if chosen is None else 1 - seat)
            assert question.rated == (chosen is None)
            bob.say(Accept(challenge=question.challenge))
            started = await ada.receives(MatchStarted, number)
            seats.append(started.seat)
            rated.append(started.rated)
            ada.say(Resign(match=started.match))
            await ada.receives(MatchEnded, number)
        assert seats == [0, seat, seat, 1]
        assert rated == [True, False, False, True]
        assert (await between(there.store)).pairs.counts == (1, 0, 0, 0, 0)
