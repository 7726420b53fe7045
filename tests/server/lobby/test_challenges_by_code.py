"""Challenges to anyone who has a code: who may take them, and how long they stand."""

from __future__ import annotations

import asyncio
from typing import Any

from tabiya.games.registry import names
from tabiya.protocol.messages import Accept, Challenge, Challenged, ChallengeEnded, Decline, MatchStarted
from tests.server.local_bots import LocalBot, Table, silent, table
from tests.virtual_time import virtual_time

GAME = names()[0]
CODE = "a secret of sixteen"


async def by_code(there: Table, **terms: Any) -> tuple[LocalBot, Challenged]:
    """Ada challenges anyone who has the code."""
    ada = await there.bot("ada", silent)
    ada.say(Challenge(game=GAME, code=CODE, **terms))
    return ada, await ada.receives(Challenged)


@virtual_time
async def test_the_first_with_the_code_takes_the_challenge() -> None:
    async with table() as there:
        ada, receipt = await by_code(there, seat=1, time="30+1", rated=False)
        assert (receipt.opponent, receipt.lapses_ms, receipt.seat, receipt.yours) == (None, None, 1, True)
        bob, cyd = await there.bot("bob", silent), await there.bot("cyd", silent)
        for accept in (Accept(challenge=receipt.challenge), Accept(challenge=receipt.challenge, code=CODE[::-1])):
            assert (await bob.refusal(accept)).code == "unknown_challenge"
        bob.say(Accept(challenge=receipt.challenge, code=CODE))
        started = await bob.receives(MatchStarted)
        assert (started.names, started.time_control, started.rated) == (("bob", "ada"), "30+1", False)
        ended = await ada.receives(ChallengeEnded)
        assert (ended.outcome, ended.opponent, ended.match) == ("accepted", "bob", started.match)
        assert (await cyd.refusal(Accept(challenge=receipt.challenge, code=CODE))).code == "unknown_challenge"


@virtual_time
async def test_a_challenge_by_code_stands_until_it_is_withdrawn_or_its_maker_goes_and_can_be_made_again() -> None:
    async with table() as there:
        ada, receipt = await by_code(there)
        await asyncio.sleep(7_000)
        assert there.dispatcher.matchmaker.lobby.by_code(CODE) is not None
        assert "already" in (await ada.refusal(Challenge(game=GAME, code=CODE))).message
        ada.say(Decline(challenge=receipt.challenge))
        ended = await ada.receives(ChallengeEnded)
        assert (ended.outcome, ended.opponent) == ("withdrawn", None)
        ada.say(Challenge(game=GAME, code=CODE))
        await ada.receives(Challenged, 2)
        ada.client.cut()
        await there.idle()
        assert there.dispatcher.matchmaker.lobby.by_code(CODE) is None


@virtual_time
async def test_a_challenge_by_code_waits_on_when_who_has_the_code_cannot_play() -> None:
    async with table() as there:
        ada, receipt = await by_code(there)
        bob = await there.bot("bob", silent, max_matches=0)
        accept = Accept(challenge=receipt.challenge, code=CODE)
        assert (await bob.refusal(accept)).code == "limit_reached"
        assert "itself" in (await ada.refusal(accept)).message
        assert there.dispatcher.matchmaker.lobby.by_code(CODE) is not None


@virtual_time
async def test_a_challenge_names_an_opponent_or_has_a_code_that_is_hard_to_guess() -> None:
    async with table() as there:
        ada = await there.bot("ada", silent)
        for code in ("", "fifteen letters"):
            refusal = await ada.refusal(Challenge(game=GAME, code=code))
            assert (refusal.code, "16 characters" in refusal.message) == ("bad_message", True)
