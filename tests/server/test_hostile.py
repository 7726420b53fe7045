"""Whatever peers say in whatever state: no internal error, nothing is left behind, and honest bots play undisturbed."""

from __future__ import annotations

import asyncio
from random import Random

import pytest

from tabiya.games.registry import names
from tabiya.protocol.limits import WireLimits
from tabiya.protocol.messages import MatchEnded
from tabiya.server.dispatcher import Dispatcher
from tabiya.server.tournaments.settings import TournamentOrder
from tests.server.attackers import ACCOUNTS, Attacker
from tests.server.invariants import broken_invariants
from tests.server.local_bots import Table, at_random, table
from tests.virtual_time import virtual_time


async def attack(there: Table, seed: int) -> None:
    """Six attackers with a thousand messages, while two honest bots play."""
    draw = Random(seed)
    tokens = {}
    for number in range(ACCOUNTS):
        _, token = await there.server.accounts.register(f"bot{number}", "")
        tokens[f"bot{number}"] = token
    honest = [await there.bot(f"honest{number}", at_random(number), 0.2) for number in range(2)]
    await there.server.tournaments.create(two_honest(seed))
    attackers = [Attacker(there, draw, tokens) for _ in range(6)]
    for _ in range(1_000):
        draw.choice(attackers).act()
        if draw.random() < 0.5:
            await asyncio.sleep(draw.choice((0, 0, 0.01, 0.3)))
        if draw.random() < 0.05:
            assert broken_while_running(there.dispatcher) == [], f"seed {seed}"
    for attacker in attackers:
        if attacker.client is not None:
            attacker.client.read_on()
            attacker.client.cut()
    await honest[0].until(lambda: len([end for end in honest[0].received(MatchEnded) if end.ending != "aborted"]) >= 4)
    ends = honest[0].received(MatchEnded)
    assert not {end.ending for end in ends} & {"time", "stall", "abandoned", "adjudicated"}, f"seed {seed}"
    assert honest[0].closed is honest[1].closed is None
    await asyncio.sleep(400)
    assert [active.names for active in there.dispatcher.runner.running()] == []
    assert broken_invariants(there.dispatcher) == [], f"seed {seed}"
    assert there.dispatcher._arriving == {}
    assert there.dispatcher.runner.frozen == 0


def two_honest(seed: int) -> TournamentOrder:
    """A tournament of the honest two, in a game that takes a while."""
    return TournamentOrder(
        name="Cup", game=names()[3], bots=("honest0", "honest1"), rounds=2, seed=seed, time_control="600+0"
    )


def broken_while_running(dispatcher: Dispatcher) -> list[str]:
    """What must hold even while matches are being made: all but the reservations."""
    return [text for text in broken_invariants(dispatcher) if "reserved" not in text and "being created" not in text]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@virtual_time
async def test_random_bent_and_broken_messages_in_every_state_do_no_harm(seed: int) -> None:
    async with table(limits=WireLimits(bad_messages=50), abandon_ms=30_000, stall_limit_ms=60_000) as there:
        there.store.seconds_to_commit = Random(seed).choice((lambda: 0.0, lambda: 0.05))
        await attack(there, seed)
