"""Challenges on a running server: what is told to whom, what is refused, and how a match comes of one."""

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
    Resign,
    Seek,
)
from tabiya.storage.errors import WriteRefused
from tabiya.storage.records import MatchId, NewMatch
from tests.present import present
from tests.server.local_bots import LocalBot, Table, silent, table
from tests.virtual_time import now_s, virtual_time

GAME, CHESS = names()[0], "chess"


async def challenged(there: Table, **terms: object) -> tuple[LocalBot, LocalBot, int]:
    """Ada has challenged Bob."""
    ada, bob = await there.bot("ada", silent), await there.bot("bob", silent)
    ada.say(Challenge(opponent="BOB", game=GAME, time="30+1", options={"heaps": "1"}))
    question, receipt = await bob.receives(Challenged), await ada.receives(Challenged)
    assert (question.yours, question.opponent, receipt.yours, receipt.opponent) == (False, "ada", True, "bob")
    assert (question.time, question.game, question.lapses_ms) == ("30+1", GAME, 60_000)
    return ada, bob, question.challenge


@virtual_time
async def test_an_accepted_challenge_becomes_a_match_with_its_time_and_options() -> None:
    async with table() as there:
        ada, bob, number = await challenged(there)
        bob.say(Accept(challenge=number))
        started = await ada.receives(MatchStarted)
        assert (started.names[started.seat], started.time_control) == ("ada", "30+1")
        assert (started.options["heaps"], started.position.split()[0]) == ("1", "1")
        for bot, opponent in ((ada, "bob"), (bob, "ada")):
            ended = await bot.receives(ChallengeEnded)
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
            assert (await one.receives(ChallengeEnded)).outcome == outcome
        ended = await other.receives(ChallengeEnded)
        assert (ended.outcome, ended.reason, ended.match) == (outcome, reason, None)
        assert (await other.refusal(Accept(challenge=1))).challenge == 1


@virtual_time
async def test_a_challenge_without_an_answer_expires() -> None:
    async with table() as there:
        ada, bob, _ = await challenged(there)
        await asyncio.sleep(59.9)
        assert ada.received(ChallengeEnded) == []
        assert (await ada.receives(ChallengeEnded)).outcome == (await bob.receives(ChallengeEnded)).outcome == "lapsed"


@virtual_time
async def test_only_its_two_bots_can_answer_a_challenge() -> None:
    async with table() as there:
        ada, _, number = await challenged(there)
        eve = await there.bot("eve")
        for message in (Accept(challenge=number), Decline(challenge=number)):
            assert (await eve.refusal(message)).code == "unknown_challenge"
        assert (await ada.refusal(Accept(challenge=number))).code == "unknown_challenge"


@virtual_time
async def test_a_bot_that_cannot_play_is_not_challenged() -> None:
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
        await cyd.receives(MatchStarted)
        eve = await there.bot("eve", silent, max_matches=2)
        refused = await eve.refusal(Challenge(opponent="cyd", game=GAME))
        assert (refused.code, refused.message[:10]) == ("limit_reached", "the server")


@virtual_time
async def test_a_bot_with_too_many_open_challenges_gets_no_more_and_the_challenger_is_told() -> None:
    async with table(limits=WireLimits(challenges_to_bot=3, seeks_per_bot=2)) as there:
        victim, ada, bob = [await there.bot(name, silent, max_matches=9) for name in ("victim", "ada", "bob")]
        challenge = Challenge(opponent="victim", game=GAME)
        for bot in (ada, ada, bob):
            bot.say(challenge)
        await victim.receives(Challenged, 3)
        refused = await bob.refusal(challenge)
        assert (refused.code, refused.message) == (
            "bot_not_available",
            "victim has 3 challenges to answer and gets no more; challenge it when it has answered some",
        )
        victim.say(Decline(challenge=1))
        bob.say(challenge)
        await victim.receives(Challenged, 4)
        await bob.refusal(challenge)
        await asyncio.sleep(60)
        bob.say(challenge)
        await victim.receives(Challenged, 5)


@virtual_time
async def test_challenging_and_withdrawing_again_and_again_does_not_flood_a_bot() -> None:
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
        await victim.receives(Challenged, 3)
        assert (await victim.refusal(Accept(challenge=1))).code == "unknown_challenge"  # which answers it all the same
        eve.say(challenge)
        await victim.receives(Challenged, 4)
        victim.client.cut()
        await there.bot("victim", silent)
        for _ in range(2):
            eve.say(challenge)
        await eve.until(lambda: sum(one.yours for one in eve.received(Challenged)) == 3)


@virtual_time
async def test_a_challenge_accepted_too_late_lapses_because_the_seat_is_taken() -> None:
    async with table() as there:
        ada, bob, number = await challenged(there)
        for bot in (ada, await there.bot("cyd", silent)):
            bot.say(Seek(game=GAME))
        await ada.receives(MatchStarted)
        bob.say(Accept(challenge=number))
        ended = await bob.receives(ChallengeEnded)
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
        assert (await ada.receives(ChallengeEnded)).outcome == "lapsed"


@pytest.mark.parametrize("fails", ["fail_next", "lose_next_answer"])
@pytest.mark.usefixtures("errors_expected")
@virtual_time
async def test_a_match_whose_save_fails_or_seems_to_fail_is_stored_once_and_runs(fails: str) -> None:
    """Found by the simulation (seed 408): a match that was stored, its answer lost, ran for the store alone."""
    async with table() as there:
        ada, bob, number = await challenged(there)
        getattr(there.store, fails)(2)
        bob.say(Accept(challenge=number))
        assert (await ada.receives(ChallengeEnded)).outcome == "accepted"
        (stored,) = there.store.tables.matches
        assert (await ada.receives(MatchStarted)).match == stored


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


MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"


@virtual_time
async def test_a_challenge_may_name_the_position_to_begin_from_and_is_not_rated_then() -> None:
    async with table() as there:
        ada, bob = await there.bot("ada", silent), await there.bot("bob", silent)
        positions = {"chess": MATE_IN_ONE, "connect5": f"6x6x5 XO{'-' * 34} X"}
        for number, (game, position) in enumerate(positions.items(), 1):
            ada.say(Challenge(opponent="bob", game=game, position=f" {position} ", rated=True))
            question = await bob.receives(Challenged, number)
            assert (question.position, question.rated, question.options) == (position, False, {})
            bob.say(Accept(challenge=question.challenge))
            started = await ada.receives(MatchStarted, number)
            assert (started.position, started.opening, started.options, started.rated) == (position, (), {}, False)
            assert present(there.store.tables.matches[MatchId(started.match)]).start_text == position
            ada.say(Resign(match=started.match))
            await ada.receives(MatchEnded, number)


@virtual_time
async def test_a_position_that_nobody_can_play_from_is_refused_with_what_is_wrong() -> None:
    async with table() as there:
        ada, _ = await there.bot("ada", silent), await there.bot("bob", silent)
        for position, words in (
            ("8/8/8/8/8/8/8/K7 w - - 0 1", "exactly one king"),
            ("here", "6 fields"),
            ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1 x", "6 fields"),
            ("3R2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1", "nothing is left to play"),
        ):
            refused = await ada.refusal(Challenge(opponent="bob", game="chess", position=position))
            assert (refused.code, words in refused.message) == ("bad_position", True), refused.message
        both = Challenge(opponent="bob", game="nim", position="1,2 normal 1", options={"heaps": "1,2"})
        assert (await ada.refusal(both)).code == "bad_options"


@virtual_time
async def test_a_challenge_may_ask_for_a_match_from_the_start_of_the_game() -> None:
    async with table() as there:
        ada, bob = await there.bot("ada", silent), await there.bot("bob", silent)
        for number, opening in enumerate((True, False), 1):
            ada.say(Challenge(opponent="bob", game="chess", opening=opening))
            bob.say(Accept(challenge=(await bob.receives(Challenged, number)).challenge))
            started = await ada.receives(MatchStarted, number)
            assert bool(started.opening) == opening
            ada.say(Resign(match=started.match))
            await ada.receives(MatchEnded, number)
