"""The server's own delays are the server's: a busy loop costs no bot a match, and a late pong gains nothing."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
import uvloop

from tabiya.games.registry import names
from tabiya.protocol.limits import WireLimits
from tabiya.protocol.messages import Hello, MatchEnded, Seek, ServerMessage, Turn
from tabiya.server.transport import gateway as gateway_module
from tabiya.server.transport import websocket as line_module
from tabiya.server.transport.loop_lag import PROCESS_PAUSE_NS, TICK_NS, LoopLagMonitor
from tabiya.server.transport.rate_limit import TokenBucket
from tabiya.server.transport.websocket import WebsocketConnection
from tabiya.storage.records import MatchId
from tests.fakes.local_network import LocalConnection
from tests.live import RawLine, eventually, live_server, raw_line, welcomed
from tests.server.local_bots import LocalBot, at_random, first_legal, table
from tests.virtual_time import VirtualTimeLoop, now_ns, virtual_time

NIM, CHESS = names()[0], "chess"
MS = 1_000_000


# --- the parts, with numbers as time ---


@pytest.mark.parametrize("tick_ns", [TICK_NS, 2 * MS])
async def test_bytes_arrived_when_they_were_read_or_when_an_overdue_tick_was_due_or_after_a_pause(tick_ns: int) -> None:
    began, seen = 1_000_000_000, list[tuple[int, int]]()
    lag_monitor = LoopLagMonitor(lambda: began, lambda *pause: seen.append(pause), tick_ns)
    lag_monitor.start()
    due = began + tick_ns
    noticed = due + PROCESS_PAUSE_NS
    assert lag_monitor.earliest_arrival_ns(due - 1) == due - 1
    assert lag_monitor.earliest_arrival_ns(noticed - 1) == due
    assert seen == []
    assert lag_monitor.earliest_arrival_ns(noticed) == noticed
    assert seen == [(due, noticed)]
    assert lag_monitor.earliest_arrival_ns(noticed + MS) == noticed
    assert len(seen) == 1
    lag_monitor.stop()
    assert lag_monitor.earliest_arrival_ns(noticed + 300 * MS) == noticed + 300 * MS


@virtual_time
async def test_a_late_tick_stays_overdue_until_what_lay_in_the_sockets_is_read() -> None:
    loop, seen = asyncio.get_running_loop(), list[tuple[int, int]]()
    assert isinstance(loop, VirtualTimeLoop)
    lag_monitor = LoopLagMonitor(now_ns, lambda *pause: seen.append(pause))
    lag_monitor.start()
    due = now_ns() + TICK_NS
    loop._clock.now_s += 0.1  # the loop is held up; its timers ring before it looks at the sockets
    for _ in range(3):
        await asyncio.sleep(0)
    assert lag_monitor.earliest_arrival_ns(now_ns()) == due
    assert (lag_monitor.take_longest_ns() // MS, lag_monitor.take_longest_ns()) == (90, 0)  # told once
    await asyncio.sleep(0.005)
    assert lag_monitor.earliest_arrival_ns(now_ns()) == now_ns()
    loop._clock.now_s += 2.0
    await asyncio.sleep(0.005)
    ((since, until),) = seen
    assert 1_980 * MS < until - since < 2_000 * MS
    loop._clock.now_s += 0.1
    await asyncio.sleep(0.001)
    loop._clock.now_s += 3.0  # while it waits for what lay in the sockets
    await asyncio.sleep(0.005)
    assert len(seen) == 2
    lag_monitor.stop()


@virtual_time
async def test_a_loop_that_is_late_again_and_again_charges_nobody_for_it() -> None:
    """Found by the simulation: the timer after a late tick was late itself, and forgot the lag."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualTimeLoop)
    lag_monitor = LoopLagMonitor(now_ns, lambda since_ns, until_ns: None)
    lag_monitor.start()
    loop._clock.now_s += 0.1  # the loop is held up; as with uvloop, its timers ring before it looks at the sockets
    for _ in range(3):
        await asyncio.sleep(0)
    for _ in range(4):
        ticked = now_ns()
        loop._clock.now_s += 0.08
        for _ in range(3):
            await asyncio.sleep(0)
        assert lag_monitor.earliest_arrival_ns(now_ns()) == ticked
    await asyncio.sleep(0.005)
    assert lag_monitor.earliest_arrival_ns(now_ns()) == now_ns()
    lag_monitor.stop()


@virtual_time
async def test_a_tick_that_is_a_little_late_does_not_forget_what_lay_unread() -> None:
    """Found by the simulation: a tick late by less than a period began again, and twice the period could be charged."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualTimeLoop)
    lag_monitor = LoopLagMonitor(now_ns, lambda since_ns, until_ns: None)
    lag_monitor.start()
    due = now_ns() + TICK_NS
    loop._clock.now_s += 0.019  # as with uvloop, the timers ring before what has come is read
    for _ in range(3):
        await asyncio.sleep(0)
    assert lag_monitor.earliest_arrival_ns(now_ns()) == due
    await asyncio.sleep(0.005)
    assert lag_monitor.earliest_arrival_ns(now_ns()) == now_ns()
    lag_monitor.stop()


def test_an_allowance_is_a_burst_that_refills() -> None:
    allowance = TokenBucket(burst=3, per_second=10, now_ns=0)
    assert [allowance.take(0) for _ in range(4)] == [True, True, True, False]
    assert not allowance.take(99 * MS)
    assert allowance.take(200 * MS)
    assert [allowance.take(10_000 * MS) for _ in range(4)] == [True, True, True, False]


def test_bytes_that_lay_there_before_their_line_was_admitted_take_no_more_than_one_each() -> None:
    allowance = TokenBucket(burst=2, per_second=10, now_ns=5_000 * MS)
    assert [allowance.take(4_000 * MS) for _ in range(3)] == [True, True, False]


# --- a loop that does not look for a while ---


async def has_turn(line: RawLine) -> dict[str, Any]:
    """The next turn on a raw line, as plain JSON."""
    while True:
        head = await line.reader.readexactly(2)
        length = head[1] if head[1] < 126 else int.from_bytes(await line.reader.readexactly(2), "big")
        data = await line.reader.readexactly(length)
        message: dict[str, Any] = json.loads(data) if head[0] == 0x81 else {}
        if message.get("type") == "turn":
            return message


async def block_behind_a_move(line: RawLine, turn: dict[str, Any], seconds: float) -> None:
    """The move lies in the server's socket before its loop is held up, in which the test runs too."""
    line.say(type="move", match=turn["match"], ply=turn["ply"], move=turn["legal_moves"][0])
    time.sleep(seconds)  # noqa: ASYNC251


async def a_blocked_loop_is_the_servers_time() -> None:
    async with (
        live_server(time_control="0.08/move") as server,
        raw_line(server) as line,
        welcomed(server.websocket_url, "bob", seek=(CHESS,)) as bob,
    ):
        await line.upgrade()
        line.say(type="hello", name="ada", seek=[CHESS])
        bot = asyncio.ensure_future(bob.plays())
        for _ in range(3):
            turn = await has_turn(line)
            await block_behind_a_move(line, turn, 0.2)
        turn = await has_turn(line)
        moves = await server.store.moves(MatchId(turn["match"]))
        ours = [move for move in moves if not move.opening and move.seat == turn["seat"]]
        assert len(ours) == 3
        assert all(move.think_us < 40_000 for move in ours)
        assert (await bot).ending == "time"  # and who says nothing still loses on time


@pytest.mark.slow
@pytest.mark.parametrize("factory", [asyncio.SelectorEventLoop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def test_a_move_that_lay_in_the_socket_while_the_loop_was_blocked_is_in_time(
    factory: Callable[[], asyncio.AbstractEventLoop],
) -> None:
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(a_blocked_loop_is_the_servers_time())


@virtual_time
async def test_a_turn_counts_from_when_it_is_written_not_from_when_it_is_thought_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualTimeLoop)
    send = LocalConnection.send

    def slow_send(line: LocalConnection, message: ServerMessage) -> None:
        if isinstance(message, Turn):
            loop._clock.now_s += 0.05  # what another match's turn takes to encode
        send(line, message)

    async with table() as there:
        pairs = [("ada", "bob"), ("cyd", "dan"), ("eve", "fay")]
        for pair in pairs:
            for name in pair:
                bot = await there.bot(name, first_legal, 1.0)
                bot.say(Seek(game=CHESS, opponent=pair[0] if name == pair[1] else pair[1], time="60+0"))
        monkeypatch.setattr(LocalConnection, "send", slow_send)
        await asyncio.sleep(20)
        monkeypatch.undo()
        moves = [move for number in (1, 2, 3) for move in await there.store.moves(MatchId(number)) if not move.opening]
        assert len(moves) >= 30
        thought = sorted(move.think_us for move in moves)
        assert thought[len(thought) // 2] == 1_000_000  # now and then the bots, in the same loop, are held up too
        assert sum(move.server_us for move in moves) > 0


# --- the network ---


@pytest.mark.slow
async def test_the_fastest_of_eight_pongs_is_the_round_trip_and_unasked_pongs_are_ignored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gateway_module, "is_loopback", lambda address: False)
    monkeypatch.setattr(line_module, "kernel_round_trip_ns", lambda transport: None)  # as where it is not told
    limits = WireLimits(ping_interval_s=0.02)
    async with live_server(limits=limits, open_registration=True) as server, raw_line(server) as line:
        await line.upgrade()
        line.say(type="hello", name="ada")
        await eventually(lambda: server.dispatcher.sessions.by_name("ada") is not None)
        peer = server.dispatcher.sessions.by_name("ada")
        assert peer is not None
        assert peer.connection.round_trip_ns == 0
        line.frame(10, b"unasked!")
        for number in range(4):
            ping = await next_ping(line)
            if number:
                await asyncio.sleep(0.1)
            line.frame(10, ping)
        await next_ping(line)
        assert isinstance(peer.connection, WebsocketConnection)
        assert len(peer.connection._round_trips) == 4  # what nobody had asked for was none
        assert max(peer.connection._round_trips) > 60 * MS  # what the loop was late is taken off the 100
        assert peer.connection.round_trip_ns < 60 * MS


async def next_ping(line: RawLine) -> bytes:
    """The payload of the next ping."""
    while True:
        head = await line.reader.readexactly(2)
        length = head[1] if head[1] < 126 else int.from_bytes(await line.reader.readexactly(2), "big")
        data = await line.reader.readexactly(length)
        if head[0] == 0x89:
            return data


async def test_on_the_same_machine_there_is_no_round_trip_to_speak_of() -> None:
    limits = WireLimits(ping_interval_s=0.01)
    async with live_server(limits=limits) as server, welcomed(server.websocket_url, "ada"):
        await asyncio.sleep(0.1)
        peer = server.dispatcher.sessions.by_name("ada")
        assert peer is not None
        assert peer.connection.round_trip_ns == 0


async def every_pong_is_late() -> None:
    limits = WireLimits(ping_interval_s=0.02)
    async with live_server(limits=limits, open_registration=True) as server, raw_line(server) as line:
        await line.upgrade()
        line.say(type="hello", name="cheat")
        await eventually(lambda: server.dispatcher.sessions.by_name("cheat") is not None)
        peer = server.dispatcher.sessions.by_name("cheat")
        assert peer is not None
        assert isinstance(peer.connection, WebsocketConnection)
        for _ in range(2):
            ping = await next_ping(line)
            await asyncio.sleep(0.06)
            line.frame(10, ping)
        await eventually(lambda: len(peer.connection._round_trips) == 2)  # type: ignore[attr-defined]
        assert 0 < peer.connection.round_trip_ns < 5 * MS


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the kernel's measure")
@pytest.mark.parametrize("factory", [asyncio.SelectorEventLoop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def test_delayed_pongs_gain_nothing_where_the_kernel_measures_too(
    factory: Callable[[], asyncio.AbstractEventLoop], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateway_module, "is_loopback", lambda address: False)
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(every_pong_is_late())


@virtual_time
async def test_delayed_pongs_gain_at_most_the_quota_and_its_refill() -> None:
    async with table() as there:
        cheat = LocalBot(there.network, "cheat", at_random(1), 0.3)
        cheat.client.connection.round_trip_ns = 5_000 * MS
        cheat.say(Hello(name="cheat", seek=(CHESS,)))
        honest = await there.bot("honest", at_random(2), 0.3, seek=(CHESS,))
        ended = await honest.receives(MatchEnded)
        (bot,) = (bot for bot in await there.store.list_bots() if bot.name == "cheat")
        record = await there.store.match(MatchId(ended.match))
        assert record is not None
        seat = [one.bot_id for one in record.seats].index(bot.id)
        moves = [move for move in await there.store.moves(record.id) if not move.opening and move.seat == seat]
        assert len(moves) > 20
        assert max(move.credit_us for move in moves) == 200_000
        assert sum(move.credit_us for move in moves) <= 2_000_000 + 50_000 * len(moves)


@pytest.mark.parametrize("credit_ms", [80, 0])
@virtual_time
async def test_a_bot_far_away_is_given_back_what_its_messages_take_where_the_server_gives_any_credit(
    credit_ms: int,
) -> None:
    async with table(lag_credit=credit_ms > 0) as there:
        far = LocalBot(there.network, "far", first_legal, 1.0, delay_s=lambda: 0.04)
        far.client.connection.round_trip_ns = 80 * MS
        far.say(Hello(name="far", seek=(CHESS,)))
        await there.bot("near", first_legal, 1.0, seek=(CHESS,))
        account = (await far.receives(Turn, 5)).last_move_account
        assert account is not None
        assert (account.think_ms, account.credit_ms, account.network_ms) == (1_080, credit_ms, 80)
