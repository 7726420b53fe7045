"""Bots play through a gateway; hosts come and go behind it, and what the bus loses or doubles changes nothing."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from tabiya.protocol.messages import (
    ClientMessage,
    Hello,
    MatchEnded,
    Move,
    Refused,
    Resign,
    Seek,
    Turn,
    Watch,
    Watching,
    Welcome,
)
from tabiya.server.cluster import relay, remote_gateways
from tabiya.server.cluster.gateway_process import GatewayServer
from tabiya.server.transport.base import Connection
from tabiya.storage.records import MatchId
from tests.live import PlainBot, connected, eventually, welcomed
from tests.server.cluster.cluster import QUICK, Cluster, answer, begun, play_on, two_bots, url

pytestmark = pytest.mark.slow


async def ada_and_bob(gateway: GatewayServer, bots: contextlib.AsyncExitStack) -> tuple[PlainBot, PlainBot]:
    """Behind a gateway, for longer than their server is there."""
    ada, bob = [await bots.enter_async_context(welcomed(url(gateway), name)) for name in ("ada", "bob")]
    return ada, bob


async def test_a_match_is_played_through_a_gateway() -> None:
    there = Cluster()
    async with there.server() as host, there.gateway() as gateway:
        async with (
            welcomed(url(gateway), "ada", seek=(QUICK,)) as ada,
            welcomed(url(gateway), "bob", seek=(QUICK,)) as bob,
        ):
            first, second = await asyncio.gather(ada.plays(), bob.plays())
            assert (first.match, first.winner) == (second.match, second.winner)
            assert host.remote_gateways is not None
            assert (host.remote_gateways.count, host.remote_gateways.connections) == (2, 2)
        await eventually(lambda: not len(host.dispatcher.sessions))


async def test_a_bot_behind_a_gateway_plays_one_behind_another_and_one_of_the_server() -> None:
    there = Cluster()
    async with there.server() as host, there.gateway() as one, there.gateway() as other:
        for name, address in (("bob", url(other)), ("eve", host.websocket_url)):
            async with welcomed(url(one), f"ada-{name}") as ada, welcomed(address, name) as bob:
                await play_on(there, *await begun(ada, bob))


async def test_bots_stay_connected_when_another_host_takes_over() -> None:
    there = Cluster()
    async with there.gateway() as gateway, contextlib.AsyncExitStack() as bots:
        async with there.server():
            ada = await bots.enter_async_context(welcomed(url(gateway), "ada", resume=""))
            bob = await bots.enter_async_context(welcomed(url(gateway), "bob"))
            white, black, turn = await begun(ada, bob)
            await answer(white, turn)
            turn = await black.receives(Turn)
        async with there.server():
            for bot in (ada, bob):
                again = await bot.receives(Welcome)
                assert [match.match for match in again.matches] == [turn.match]
            asked = await black.receives(Turn)
            assert (asked.ply, asked.position, asked.clock_ms) == (turn.ply, turn.position, turn.clock_ms)
            await play_on(there, black, white, asked)


async def test_a_seek_and_a_watch_stand_with_the_next_host() -> None:
    there = Cluster()
    async with there.gateway() as gateway, contextlib.AsyncExitStack() as bots:
        async with there.server():
            ada, bob, eve = [
                await bots.enter_async_context(welcomed(url(gateway), name)) for name in ("ada", "bob", "eve")
            ]
            _, _, turn = await begun(ada, bob)
            await eve.say(Watch(match=turn.match))
            await eve.receives(Watching)
            await eve.say(Seek(game=QUICK))
        async with there.server() as host:
            await eve.receives(Watching)
            assert [
                seek.session.name for seek in host.dispatcher.matchmaker.lobby.seeks() if seek.terms.game == QUICK
            ] == ["eve"]


async def test_a_guest_with_a_suffix_is_the_same_one_for_the_next_host() -> None:
    there = Cluster()
    async with there.gateway() as gateway, contextlib.AsyncExitStack() as bots:
        async with there.server():
            await bots.enter_async_context(welcomed(url(gateway), "ada"))
            second = await bots.enter_async_context(connected(url(gateway)))
            await second.say(Hello(name="ada"))
            name = (await second.receives(Welcome)).name
            assert name != "ada"
        async with there.server():
            assert (await second.receives(Welcome)).name == name


@pytest.mark.parametrize("subject", ["tabiya.host", "tabiya.gateway"])
async def test_messages_that_the_bus_loses_are_sent_again(subject: str) -> None:
    there = Cluster()
    async with two_bots(there) as (ada, bob):
        white, black, turn = await begun(ada, bob)
        there.bus.passes = lambda to, data: not to.startswith(f"{subject}.")
        await answer(white, turn)
        await asyncio.sleep(0.05)
        there.bus.passes = lambda to, data: 1
        for bot in (ada, bob):
            await bot.receives(Welcome)
        await play_on(there, black, white, await black.receives(Turn))


async def test_a_move_that_only_its_gateway_has_read_counts_though_its_bot_is_gone_before_the_next_host_is_there() -> (
    None
):
    there = Cluster()
    async with contextlib.AsyncExitStack() as bots, there.gateway() as gateway:
        async with there.server():
            ada, bob = await ada_and_bob(gateway, bots)
            white, black, turn = await begun(ada, bob)
            there.bus.passes = lambda to, data: not to.startswith("tabiya.host.")
            await answer(white, turn)
            await eventually(lambda: len(gateway.relay._answers) == 1)
            await white.socket.close()
        there.bus.passes = lambda to, data: 1
        async with there.server(), welcomed(url(gateway), "ada" if white is ada else "bob") as again:
            asked = await again.receives(Turn)
            assert (asked.match, asked.ply) == (turn.match, turn.ply)
            await play_on(there, black, again, await black.receives(Turn))
            assert there.tables.moves[MatchId(turn.match)][turn.ply].think_us < 1_000


async def test_an_illegal_move_is_not_passed_on_again_when_its_host_has_counted_it() -> None:
    there = Cluster()
    async with two_bots(there) as (ada, bob):
        white, black, turn = await begun(ada, bob)
        there.bus.passes = lambda to, data: not to.startswith("tabiya.gateway.")
        await white.say(Move(match=turn.match, ply=turn.ply, move="e7e5"))
        await asyncio.sleep(0.05)
        there.bus.passes = lambda to, data: 1
        asked = await white.receives(Turn)
        assert (asked.ply, asked.illegal_moves) == (turn.ply, 1)
        await play_on(there, white, black, asked)


async def test_a_move_that_was_refused_is_not_passed_on_to_the_next_host() -> None:
    there = Cluster()
    async with contextlib.AsyncExitStack() as bots, there.gateway() as gateway:
        async with there.server():
            white, black, turn = await begun(*await ada_and_bob(gateway, bots))
            await white.say(Move(match=turn.match, ply=turn.ply, move="e7e5"))
            await white.receives(Refused)
        async with there.server():
            await play_on(there, white, black, await white.receives(Turn))


async def test_a_message_that_comes_twice_counts_once() -> None:
    there = Cluster()
    there.bus.passes = lambda to, data: 2
    async with two_bots(there) as (ada, bob):
        await play_on(there, *await begun(ada, bob))


async def test_the_way_over_the_bus_costs_a_bot_nothing() -> None:
    there = Cluster()
    async with two_bots(there) as (ada, bob):
        there.bus.delay_s = 0.1
        white, black, turn = await begun(ada, bob, "0.15/move")
        for mover, other in ((white, black), (black, white)) * 2:
            await answer(mover, turn)
            turn = await other.receives(Turn)
        thought = [move.think_us for move in there.tables.moves[MatchId(turn.match)].values()]
        assert max(thought) < 50_000


async def test_a_silent_bot_loses_on_time_behind_a_gateway_too() -> None:
    there = Cluster()
    async with two_bots(there) as (ada, bob):
        _, black, _ = await begun(ada, bob, "0.2/move")
        ended = await black.receives(MatchEnded)
        assert (ended.score, ended.ending) == (1.0, "time")


async def test_bots_of_a_gateway_that_is_gone_were_charged_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(remote_gateways, "MAX_MISSED_BEATS", 2)
    there = Cluster()
    async with there.server() as host, there.gateway() as gateway, there.gateway() as other:  # noqa: SIM117
        async with welcomed(url(gateway), "ada") as ada, welcomed(url(other), "bob") as bob:
            white, _, turn = await begun(ada, bob, "1+0")
            lost = gateway if white is ada else other
            host_says, gateway_says = f"tabiya.gateway.{lost.relay.name}", lost.relay.name.encode()
            there.bus.passes = lambda to, data: to != host_says and gateway_says not in data
            name = "ada" if white is ada else "bob"
            await eventually(lambda: host.dispatcher.sessions.by_name(name) is None)
            async with welcomed(url(gateway if lost is other else other), name) as again:
                asked = await again.receives(Turn)
                assert asked.clock_ms is not None
                assert asked.clock_ms.you > 500  # it has been away for longer than it had
                await again.say(Resign(match=turn.match))
                await again.receives(MatchEnded)


async def test_without_a_host_bots_are_told_to_come_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay, "SERVERLESS_BEATS", 1)
    there = Cluster()
    async with there.gateway() as gateway, connected(url(gateway)) as bot:
        code, reason = await bot.ends()
        assert (code, "try again later" in reason) == (4_009, True)


async def test_a_host_that_was_replaced_is_not_heard() -> None:
    there = Cluster()
    async with there.gateway() as gateway, there.server() as old, there.server() as new:
        assert old.remote_gateways is not None
        assert new.remote_gateways is not None
        newest = new.remote_gateways.host
        assert old.remote_gateways.host < newest
        await eventually(lambda: gateway.relay.host == newest)
        async with welcomed(url(gateway), "ada"):
            assert len(new.dispatcher.sessions) == 1
            await asyncio.sleep(0.6)  # the old one says that it is there, too
            assert (len(old.dispatcher.sessions), gateway.relay.host) == (0, newest)


@pytest.mark.usefixtures("errors_expected")
async def test_an_error_of_ours_costs_one_connection_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there = Cluster()
    async with there.server() as host, there.gateway() as gateway, connected(url(gateway)) as bad:
        plain = host.dispatcher.received

        def received(connection: Connection, message: ClientMessage, arrived_ns: int) -> None:
            if isinstance(message, Watch):
                raise RuntimeError("an internal error")
            plain(connection, message, arrived_ns)

        monkeypatch.setattr(host.dispatcher, "received", received)
        async with welcomed(url(gateway), "ada") as ada, welcomed(url(gateway), "bob") as bob:
            await bad.say(Watch(match=1))
            code, reason = await bad.ends()
            assert (code, "quote" in reason) == (4_013, True)
            await play_on(there, *await begun(ada, bob))
