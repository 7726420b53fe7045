"""A process that holds bots and plays: what is said within it passes no bus, and matches are played near their bots."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

import pytest

from tabiya.protocol.codes import CloseCode
from tabiya.protocol.messages import Move, Refused, Turn
from tabiya.server.app import TabiyaServer
from tabiya.server.cluster.bus import gateway_subject, host_subject
from tabiya.server.cluster.gateway_process import GatewayServer
from tabiya.server.cluster.hosts import NEAR_MORE
from tabiya.server.cluster.match_host import MatchHost
from tabiya.server.cluster.messages import GatewayBatch, HostBatch, MessageReceived, Send, unpack
from tabiya.storage.records import BotId, MatchId
from tests.live import PlainBot, connected, eventually, welcomed
from tests.server.cluster.cluster import Cluster, begun, play_on, url

pytestmark = pytest.mark.slow


@contextlib.asynccontextmanager
async def two_processes(
    there: Cluster, second: int
) -> AsyncIterator[tuple[TabiyaServer, list[tuple[MatchHost, GatewayServer]], PlainBot, PlainBot]]:
    """A server and two processes: ada at the first, bob at the one that is said."""
    async with there.server() as server, there.process(server) as one, there.process(server) as other:
        processes = [one, other]
        async with welcomed(url(one[1]), "ada") as ada, welcomed(url(processes[second][1]), "bob") as bob:
            yield server, processes, ada, bob


async def test_a_match_of_two_bots_of_one_process_is_played_there_without_the_bus() -> None:
    there = Cluster()
    async with two_processes(there, 0) as (_, [(host, gateway), _other], ada, bob):
        white, black, turn = await begun(ada, bob)
        assert there.tables.matches[MatchId(turn.match)].host == host.number
        over_the_bus: list[GatewayBatch | HostBatch | None] = []

        def passes(subject: str, data: bytes) -> int:
            if subject == host_subject(host.number):
                over_the_bus.append(unpack(data, GatewayBatch))
            elif subject == gateway_subject(gateway.relay.name):
                over_the_bus.append(unpack(data, HostBatch))
            return 1

        there.bus.passes = passes
        await play_on(there, white, black, turn)
        items = [item for batch in over_the_bus if batch is not None for item in batch.items]
        assert not any(isinstance(item, MessageReceived) or (isinstance(item, Send) and item.turn) for item in items)


@pytest.mark.parametrize("second", [0, 1])
async def test_an_unplayable_match_is_refused_and_garbage_ends_a_connection(second: int) -> None:
    there = Cluster()
    async with two_processes(there, second) as (_, [(host, _gateway), _other], ada, bob):
        white, black, turn = await begun(ada, bob)
        for bot, what in ((white, "z9z9"), (black, "e7e5")):
            await bot.say(Move(match=turn.match, ply=turn.ply, move=what))
            assert (await bot.receives(Refused)).match == turn.match
        await white.socket.send(b"\xc1")
        assert (await white.ends())[0] == CloseCode.GARBAGE
        active = host.dispatcher.runner.active(turn.match)
        if active is not None:
            await eventually(lambda: host.dispatcher.sessions.by_bot(active.record.seats[turn.seat].bot_id) is None)


async def test_a_bot_that_comes_back_to_the_same_process_is_told_its_turn_again() -> None:
    there = Cluster()
    async with two_processes(there, 1) as (_, processes, ada, bob):
        white, black, turn = await begun(ada, bob)
        at = processes[0 if white is ada else 1][1]
        name = "ada" if white is ada else "bob"
        await white.socket.close()
        async with welcomed(url(at), name) as again:
            asked = await again.receives(Turn)
            assert (asked.match, asked.ply) == (turn.match, turn.ply)
            await play_on(there, again, black, asked)


async def test_a_match_goes_to_a_process_that_has_one_of_its_bots_unless_that_has_many_more() -> None:
    there = Cluster()
    async with two_processes(there, 1) as (server, processes, _ada, _bob):
        hosts = server.hosts
        assert hosts is not None
        ada, bob = [BotId(bot.id) for name in ("ada", "bob") if (bot := server.dispatcher.sessions.by_name(name).bot)]  # type: ignore[union-attr]
        first, second = [host.number for host, _ in processes]
        assert [hosts.place("nim", (ada, bob)) for _ in range(4)] == [first, second] * 2
        hosts._load.clear()
        placed = [hosts.place("nim", (ada, ada)) for _ in range(NEAR_MORE + 3)]
        assert placed == [first] * (NEAR_MORE + 1) + [second, first]
        assert hosts.place("nim", (BotId(10**6),)) == min((first, second), key=hosts._load.__getitem__)


async def test_a_connection_that_says_nothing_is_no_matter_to_the_host() -> None:
    there = Cluster()
    async with two_processes(there, 0) as (_, [(host, gateway), _other], _ada, _bob):
        async with connected(url(gateway)):
            pass
        await eventually(lambda: gateway.gateway.connections == 2)
        assert host.dispatcher.runner.count == 0
