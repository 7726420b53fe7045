"""Seeks and challenges on a running server: what is told to whom, and what is refused."""

from __future__ import annotations

import asyncio

import pytest

from tabiya.games.registry import names
from tabiya.protocol.limits import WireLimits
from tabiya.protocol.messages import (
    Accept,
    Challenge,
    Challenged,
    ChallengeEnded,
    Decline,
    MatchEnded,
    MatchStarted,
    Notice,
    Resign,
    Seek,
    Unseek,
    Welcome,
)
from tabiya.server.ratings.results import Between
from tabiya.server.standings.counters import CountedResults, Player, View
from tabiya.storage.errors import WriteRefused
from tabiya.storage.memory_tables import MemoryTables
from tabiya.storage.records import MatchId, NewMatch
from tabiya.storage.store import Store
from tests.server.local_bots import LocalBot, Table, first_legal, silent, table
from tests.virtual_time import now_s, virtual_time

GAME, CHESS = names()[0], names()[-1]


async def challenged(there: Table, **terms: object) -> tuple[LocalBot, LocalBot, int]:
    """Ada has challenged Bob."""
    ada, bob = await there.bot("ada", silent), await there.bot("bob", silent)
    ada.say(Challenge(opponent="BOB", game=GAME, time="30+1", options={"heaps": "1"}))
    question, receipt = await bob.hears(Challenged), await ada.hears(Challenged)
    assert (question.yours, question.opponent, receipt.yours, receipt.opponent) == (False, "ada", True, "bob")
    assert (question.time, question.game, question.lapses_ms) == ("30+1", GAME, 60_000)
    return ada, bob, question.challenge


async def between(store: Store) -> Between:
    """What the standings count of the games of Ada against Bob."""
    tally = CountedResults()
    tally.add_all(await store.results())
    return tally.of(GAME).results_of(View()).between(Player("ada", ""), Player("bob", ""))


# --- seeks ---


@virtual_time
async def test_seekers_play_again_and_again_with_colours_and_openings_in_pairs() -> None:
    async with table() as there:
        ada, bob = await there.bot("ada", first_legal), await there.bot("bob", first_legal)
        for bot in (ada, bob):
            bot.say(Seek(game=names()[1], rated=False, time="none"))
        await ada.hears(MatchEnded, 8)
        started = ada.heard(MatchStarted)[:8]
        assert (started[0].rated, started[0].time_control) == (False, "none")
        assert [one.seat for one in started] in ([0, 1] * 4, [1, 0] * 4)
        openings = [(one.position, one.opening) for one in started]
        assert openings[0::2] == openings[1::2]
        assert len(set(openings)) > 1
        for bot in (ada, bob):
            bot.say(Unseek(game=names()[1]))
        await asyncio.sleep(60)
        count = len(ada.heard(MatchStarted))
        await asyncio.sleep(60)
        assert len(ada.heard(MatchStarted)) == len(ada.heard(MatchEnded)) == count


@virtual_time
async def test_two_games_of_the_same_two_on_the_same_terms_count_as_a_pair() -> None:
    async with table(rate_guests=True) as there:
        ada, bob = await there.bot("ada", silent), await there.bot("bob", silent)
        for number, control in enumerate(("30+1", "30+1", "60+0", "30+1", "30+1", "60+0"), 1):
            ada.say(Challenge(opponent="bob", game=GAME, time=control))
            bob.say(Accept(challenge=(await bob.hears(Challenged, number)).challenge))
            started = await ada.hears(MatchStarted, number)
            ada.say(Resign(match=started.match))
            await ada.hears(MatchEnded, number)
        # the third game and the fourth, the fifth and the sixth are on different terms
        found = await between(there.store)
        assert (found.losses, found.pairs.counts) == (6, (1, 0, 0, 0, 0))


async def rated_games(ada: LocalBot, bob: LocalBot, there: Table) -> tuple[bool, bool, bool, int]:
    """What a challenge, its match and a match by seeks say of being rated, and how many games were."""
    ada.say(Challenge(opponent=bob.name, game=GAME))
    asked = await bob.hears(Challenged)
    bob.say(Accept(challenge=asked.challenge))
    started = [await ada.hears(MatchStarted)]
    ada.say(Resign(match=started[0].match))
    await ada.hears(MatchEnded)
    for bot in (ada, bob):
        bot.say(Seek(game=GAME))
    started.append(await ada.hears(MatchStarted, 2))
    ada.say(Resign(match=started[1].match))
    await ada.hears(MatchEnded, 2)
    return asked.rated, started[0].rated, started[1].rated, sum(one.rated for one in await there.store.results())


@virtual_time
async def test_games_of_guests_are_not_rated_and_welcome_and_challenge_say_so() -> None:
    """Fifteen guests once resigned 300 games to one bot in 0.7 s, and every rating moved by hundreds of points."""
    async with table() as there:
        accounts = there.server.accounts
        tokens = {name: (await accounts.register(name, accounts.invite_secret))[1] for name in ("ada", "bob")}
        ada, bob = [await there.bot(name, silent, token=tokens[name]) for name in ("ada", "bob")]
        assert ada.heard(Welcome)[0].rated
        assert await rated_games(ada, bob, there) == (True, True, True, 2)
    async with table() as there:
        accounts = there.server.accounts
        _, token = await accounts.register("cy", accounts.invite_secret)
        cy, guest = await there.bot("cy", silent, token=token), await there.bot("guest", silent)
        assert [bot.heard(Welcome)[0].rated for bot in (cy, guest)] == [True, False]
        assert await rated_games(guest, cy, there) == (False, False, False, 0)


@virtual_time
async def test_a_server_may_rate_its_guests() -> None:
    async with table(rate_guests=True) as there:
        ada, bob = await there.bot("ada", silent), await there.bot("bob", silent)
        assert ada.heard(Welcome)[0].rated
        assert await rated_games(ada, bob, there) == (True, True, True, 2)


@virtual_time
async def test_meetings_in_two_lives_of_a_server_are_no_pair() -> None:
    tables = MemoryTables()
    for life in range(2):
        async with table(tables, rate_guests=True) as there:
            ada, bob = await there.bot("ada", silent), await there.bot("bob", silent)
            for number in range(1, 2 + life):
                ada.say(Challenge(opponent="bob", game=GAME))
                bob.say(Accept(challenge=(await bob.hears(Challenged, number)).challenge))
                ada.say(Resign(match=(await ada.hears(MatchStarted, number)).match))
                await ada.hears(MatchEnded, number)
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
        assert len(ada.heard(MatchStarted)) == 2
        ada.say(Resign(match=ada.heard(MatchStarted)[0].match))
        await ada.hears(MatchStarted, 3)


@virtual_time
async def test_the_server_has_a_bound_of_its_own_on_matches() -> None:
    async with table(max_matches=1, limits=WireLimits(matches_per_bot=1)) as there:
        bots = [await there.bot(f"bot{number}", silent, seek=(GAME,), max_matches=9) for number in range(4)]
        await there.idle()
        assert len(there.dispatcher.runner.running()) == 1
        playing = next(bot for bot in bots if bot.heard(MatchStarted))
        playing.say(Resign(match=playing.heard(MatchStarted)[0].match))
        await there.idle()
        assert sum(len(bot.heard(MatchStarted)) for bot in bots) == 4


@virtual_time
async def test_what_cannot_be_sought_is_refused_with_the_reason() -> None:
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
        await ada.hears(Challenged)
        assert (await bob.refusal(Seek(game=GAME))).code == "limit_reached"  # open challenges count, too


# --- challenges ---


@virtual_time
async def test_an_accepted_challenge_becomes_a_match_with_its_time_and_options() -> None:
    async with table() as there:
        ada, bob, number = await challenged(there)
        bob.say(Accept(challenge=number))
        started = await ada.hears(MatchStarted)
        assert (started.names[started.seat], started.time_control) == ("ada", "30+1")
        assert (started.options["heaps"], started.position.split()[0]) == ("1", "1")
        for bot, opponent in ((ada, "bob"), (bob, "ada")):
            ended = await bot.hears(ChallengeEnded)
            assert (ended.outcome, ended.match, ended.opponent) == ("accepted", started.match, opponent)
        assert (await bob.refusal(Accept(challenge=number))).code == "unknown_challenge"


@pytest.mark.parametrize(
    ("who", "says", "outcome", "reason"),
    [
        ("bob", Decline(challenge=1, reason="lunch"), "declined", "lunch"),
        ("ada", Decline(challenge=1), "withdrawn", ""),
        ("ada", None, "withdrawn", "ada is gone"),
        ("bob", None, "withdrawn", "bob is gone"),
    ],
)
@virtual_time
async def test_a_challenge_ends_when_either_bot_says_so_or_goes(
    who: str, says: Decline | None, outcome: str, reason: str
) -> None:
    async with table() as there:
        ada, bob, number = await challenged(there)
        assert number == 1
        one, other = (ada, bob) if who == "ada" else (bob, ada)
        if says is None:
            one.client.cut()
        else:
            one.say(says)
            assert (await one.hears(ChallengeEnded)).outcome == outcome
        ended = await other.hears(ChallengeEnded)
        assert (ended.outcome, ended.reason, ended.match) == (outcome, reason, None)
        assert (await other.refusal(Accept(challenge=1))).challenge == 1


@virtual_time
async def test_a_challenge_lapses_when_nobody_answers() -> None:
    async with table() as there:
        ada, bob, _ = await challenged(there)
        await asyncio.sleep(59.9)
        assert ada.heard(ChallengeEnded) == []
        assert (await ada.hears(ChallengeEnded)).outcome == (await bob.hears(ChallengeEnded)).outcome == "lapsed"


@virtual_time
async def test_nobody_can_answer_the_challenge_of_others() -> None:
    async with table() as there:
        ada, _, number = await challenged(there)
        eve = await there.bot("eve")
        for message in (Accept(challenge=number), Decline(challenge=number)):
            assert (await eve.refusal(message)).code == "unknown_challenge"
        assert (await ada.refusal(Accept(challenge=number))).code == "unknown_challenge"


@virtual_time
async def test_who_cannot_play_is_not_challenged() -> None:
    async with table() as there:
        ada = await there.bot("ada")
        await there.bot("fan", games=(CHESS,))
        await there.bot("idle", max_matches=0)
        for opponent, code in (
            ("nobody here", "unknown_bot"),
            ("ada", "bot_not_available"),
            ("Fan", "bot_not_available"),
            ("idle", "bot_not_available"),
        ):
            assert (await ada.refusal(Challenge(opponent=opponent, game=GAME))).code == code
        gone = await there.bot("gone")
        gone.client.cut()
        refused = await ada.refusal(Challenge(opponent="gone", game=GAME))
        assert (refused.code, refused.message) == ("bot_not_available", "'gone' is not connected")


@virtual_time
async def test_a_challenge_says_whose_fault_it_is_that_it_cannot_be() -> None:
    async with table(max_matches=2) as there:
        ada, _, _ = await there.two_seated(GAME)
        cyd, dan = await there.bot("cyd", silent), await there.bot("dan", silent)
        refused = await ada.refusal(Challenge(opponent="cyd", game=GAME))
        assert (refused.code, refused.message.split()[0]) == ("limit_reached", ada.name)
        refused = await cyd.refusal(Challenge(opponent=ada.name, game=GAME))
        assert (refused.code, refused.message.split()[0]) == ("bot_not_available", ada.name)
        for bot in (cyd, dan):
            bot.say(Seek(game=GAME))
        await cyd.hears(MatchStarted)
        eve = await there.bot("eve", silent, max_matches=2)
        refused = await eve.refusal(Challenge(opponent="cyd", game=GAME))
        assert (refused.code, refused.message[:10]) == ("limit_reached", "the server")


@virtual_time
async def test_a_bot_has_so_many_challenges_to_answer_and_the_next_challenger_is_told_so() -> None:
    async with table(limits=WireLimits(challenges_to_bot=3, seeks_per_bot=2)) as there:
        victim, ada, bob = [await there.bot(name, silent, max_matches=9) for name in ("victim", "ada", "bob")]
        challenge = Challenge(opponent="victim", game=GAME)
        for bot in (ada, ada, bob):
            bot.say(challenge)
        await victim.hears(Challenged, 3)
        refused = await bob.refusal(challenge)
        assert (refused.code, refused.message) == (
            "bot_not_available",
            "victim has 3 challenges to answer and gets no more; challenge it when it has answered some",
        )
        victim.say(Decline(challenge=1))
        bob.say(challenge)
        await victim.hears(Challenged, 4)
        await bob.refusal(challenge)
        await asyncio.sleep(60)
        bob.say(challenge)
        await victim.hears(Challenged, 5)


@virtual_time
async def test_who_challenges_withdraws_and_challenges_again_does_not_fill_the_bot_with_questions() -> None:
    async with table(limits=WireLimits(challenges_to_bot=3, seeks_per_bot=2)) as there:
        victim, eve, ada = [await there.bot(name, silent) for name in ("victim", "eve", "ada")]
        challenge = Challenge(opponent="victim", game=GAME)
        for number in (1, 2):
            eve.say(challenge)
            eve.say(Decline(challenge=number))
        refused = await eve.refusal(challenge)
        assert (refused.code, refused.message) == (
            "limit_reached",
            "victim has 2 challenges of yours to answer, those taken back included; wait for its answers",
        )
        eve.client.cut()
        eve = await there.bot("eve", silent)
        assert (await eve.refusal(challenge)).code == "limit_reached"
        ada.say(challenge)
        await victim.hears(Challenged, 3)
        assert (await victim.refusal(Accept(challenge=1))).code == "unknown_challenge"  # which answers it all the same
        eve.say(challenge)
        await victim.hears(Challenged, 4)
        victim.client.cut()
        await there.bot("victim", silent)
        for _ in range(2):
            eve.say(challenge)
        await eve.until(lambda: sum(one.yours for one in eve.heard(Challenged)) == 3)


@virtual_time
async def test_a_seek_that_can_never_be_filled_is_refused_and_one_that_must_wait_is_said_to() -> None:
    async with table() as there:
        ada, eve = await there.bot("ada", silent), await there.bot("eve", max_matches=0)
        assert (await ada.refusal(Seek(game=GAME, opponent="Ada"))).code == "bot_not_available"
        assert (await eve.refusal(Seek(game=GAME))).code == "limit_reached"
        ada.say(Seek(game=GAME, opponent="bbo"))
        told = await ada.hears(Notice)
        assert (told.kind, told.text.split(";")[0]) == ("seek_waits", "there is no bot called 'bbo'")
        ada.say(Seek(game=GAME, opponent="bob"))
        await ada.hears(Notice, 2)
        await there.bot("bob", silent, seek=(GAME,))
        await ada.hears(MatchStarted)


@virtual_time
async def test_a_challenge_accepted_too_late_lapses_because_the_seat_is_taken() -> None:
    async with table() as there:
        ada, bob, number = await challenged(there)
        for bot in (ada, await there.bot("cyd", silent)):
            bot.say(Seek(game=GAME))
        await ada.hears(MatchStarted)
        bob.say(Accept(challenge=number))
        ended = await bob.hears(ChallengeEnded)
        assert (ended.outcome, ended.reason) == ("lapsed", "ada plays as many matches as it may at once, 1")


@pytest.mark.usefixtures("errors_expected")
@virtual_time
async def test_a_challenge_whose_match_can_never_be_stored_lapses(monkeypatch: pytest.MonkeyPatch) -> None:
    async with table() as there:
        ada, bob, number = await challenged(there)

        async def refuse(new: NewMatch) -> MatchId:
            raise WriteRefused("a rule of the tables is broken")

        monkeypatch.setattr(there.store, "create_match", refuse)
        bob.say(Accept(challenge=number))
        assert (await ada.hears(ChallengeEnded)).outcome == "lapsed"


@pytest.mark.parametrize("fails", ["fail_next", "lose_next_answer"])
@pytest.mark.usefixtures("errors_expected")
@virtual_time
async def test_a_match_whose_save_fails_or_seems_to_fail_is_stored_once_and_runs(fails: str) -> None:
    """Found by the simulation (seed 408): a match that was stored, its answer lost, ran for the store alone."""
    async with table() as there:
        ada, bob, number = await challenged(there)
        getattr(there.store, fails)(2)
        bob.say(Accept(challenge=number))
        assert (await ada.hears(ChallengeEnded)).outcome == "accepted"
        (stored,) = there.store.tables.matches
        assert (await ada.hears(MatchStarted)).match == stored


@pytest.mark.usefixtures("errors_expected")
@virtual_time
async def test_a_server_that_closes_while_a_match_cannot_be_stored_does_not_wait_for_it() -> None:
    async with table() as there:
        _, bob, number = await challenged(there)
        there.store.fail_next(10_000)
        bob.say(Accept(challenge=number))
        await asyncio.sleep(60)
        began = now_s()
        there.network.close("over")
        await there.server.stop()
        assert now_s() - began < 3
        assert there.store.tables.matches == {}


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
        await newer.hears(MatchStarted)
        await bob.hears(MatchStarted)
        await there.idle()
        assert len(there.dispatcher.runner.running()) == 1


@virtual_time
async def test_a_challenge_may_ask_for_a_match_from_the_start_of_the_game() -> None:
    async with table() as there:
        ada, bob = await there.bot("ada", silent), await there.bot("bob", silent)
        for number, opening in enumerate((True, False), 1):
            ada.say(Challenge(opponent="bob", game="chess", opening=opening))
            bob.say(Accept(challenge=(await bob.hears(Challenged, number)).challenge))
            started = await ada.hears(MatchStarted, number)
            assert bool(started.opening) == opening
            ada.say(Resign(match=started.match))
            await ada.hears(MatchEnded, number)


@pytest.mark.parametrize("seat", [0, 1])
@virtual_time
async def test_a_chosen_seat_is_given_and_never_rated_and_leaves_the_pairs_alone(seat: int) -> None:
    async with table(rate_guests=True) as there:
        ada, bob = await there.bot("ada", silent), await there.bot("bob", silent)
        seats, rated = [], []
        for number, chosen in enumerate((None, seat, seat, None), 1):
            ada.say(Challenge(opponent="bob", game=GAME, seat=chosen))
            question = await bob.hears(Challenged, number)
            assert question.seat == (None if chosen is None else 1 - seat)
            assert question.rated == (chosen is None)
            bob.say(Accept(challenge=question.challenge))
            started = await ada.hears(MatchStarted, number)
            seats.append(started.seat)
            rated.append(started.rated)
            ada.say(Resign(match=started.match))
            await ada.hears(MatchEnded, number)
        assert seats == [0, seat, seat, 1]
        assert rated == [True, False, False, True]
        assert (await between(there.store)).pairs.counts == (1, 0, 0, 0, 0)
