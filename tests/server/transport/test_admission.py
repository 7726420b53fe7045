"""Who gets in at the websocket gateway: handshakes, limits by address and in all, who comes too often."""

from __future__ import annotations

import asyncio
import gc
import itertools
import weakref

import pytest

from scripts.websocket_frames import TEXT, client_frame, handshake
from tabiya.protocol.codes import CloseCode
from tabiya.protocol.limits import WireLimits
from tabiya.protocol.messages import (
    Busy,
)
from tabiya.server.transport import gateway as gateway_module
from tests.live import PATIENCE_S, connected, eventually, expect_alive, live_server, raw_line, welcomed

pytestmark = pytest.mark.usefixtures("short_grace")


async def test_too_many_connections_of_one_address_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway_module, "is_loopback", lambda address: False)
    limits = WireLimits(connections_per_address=2)
    async with (
        live_server(limits=limits, open_registration=True) as server,
        welcomed(server.websocket_url, "ada") as ada,
        welcomed(server.websocket_url, "bob"),
    ):
        async with connected(server.websocket_url) as third:
            assert (await third.ends())[0] == CloseCode.TOO_MANY_CONNECTIONS
        half_open = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(3)]
        await eventually(lambda: server.gateway.counts["turned_away"] == 1)
        for _, writer in half_open:
            writer.transport.abort()
        await ada.socket.close()
        await eventually(lambda: server.gateway.connections == 1)
        async with welcomed(server.websocket_url, "cyd") as cyd:
            await expect_alive(cyd)


@pytest.mark.slow
async def test_an_unfinished_handshake_is_cut_even_if_bytes_keep_coming() -> None:
    limits = WireLimits(handshake_timeout_s=0.3)
    async with live_server(limits=limits) as server, raw_line(server) as silent, raw_line(server) as slow:
        ends = [asyncio.ensure_future(line.end()) for line in (silent, slow)]
        for letter in b"GET / HTTP/1.1\r\nHost: localhost\r\n" * 10:
            slow.writer.write(bytes([letter]))
            await asyncio.sleep(0.01)
            if all(end.done() for end in ends):
                break
        assert all(end.done() for end in ends)
        async with welcomed(server.websocket_url, "ada") as ada:
            await expect_alive(ada)


async def test_half_open_connections_are_limited_and_do_not_disturb_connected_bots() -> None:
    limits = WireLimits(handshakes_in_progress=20)
    async with live_server(limits=limits) as server, welcomed(server.websocket_url, "ada") as ada:
        half_open = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(50)]
        await eventually(lambda: server.gateway.counts["turned_away"] == 30)
        assert sum(1 for reader, _ in half_open if reader.at_eof() or reader.exception()) <= 30
        await expect_alive(ada)
        for _, writer in half_open:
            writer.transport.abort()
        await eventually(lambda: not server.gateway._handshaking)
        async with welcomed(server.websocket_url, "bob") as bob:
            await expect_alive(bob)


@pytest.mark.parametrize("sent", [b"", handshake()[:40], handshake()])
async def test_a_connection_that_is_gone_leaves_nothing_to_the_garbage_collector(sent: bytes) -> None:
    async with live_server() as server:
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(sent)
        gateway = server.gateway
        await eventually(lambda: len(gateway._open if sent == handshake() else gateway._handshaking) == 1)
        (connection,) = [*gateway._handshaking, *gateway._open]
        ends: list[weakref.ref[object]] = [weakref.ref(connection), weakref.ref(connection._library)]
        del connection
        gc.disable()
        try:
            writer.transport.abort()
            await eventually(lambda: not any(end() for end in ends))
        finally:
            gc.enable()


async def test_handshakes_that_come_together_are_answered_a_few_in_each_turn_of_the_loop() -> None:
    async with live_server() as server:
        lines = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(10)]
        gateway = server.gateway
        await eventually(lambda: len(gateway._handshaking) == 10)
        for connection in list(gateway._handshaking):
            connection.data_received(handshake())
        assert not gateway._open
        opened = [0]
        while opened[-1] < 10:
            await asyncio.sleep(0)
            opened.append(len(gateway._open))
        assert max(now - before for before, now in itertools.pairwise(opened)) == gateway_module.HANDSHAKES_PER_TURN
        for _, writer in lines:
            writer.transport.abort()


async def test_a_hello_with_the_handshake_is_welcome_and_more_messages_are_cut() -> None:
    hello = client_frame(b'{"type":"hello","name":"ada"}', TEXT)
    async with live_server() as server, raw_line(server) as line, raw_line(server) as talker:
        line.writer.write(handshake() + hello)
        await asyncio.wait_for(line.reader.readuntil(b'"welcome"'), PATIENCE_S)
        talker.writer.write(handshake() + 1_000 * hello)
        await talker.end()
        assert len(server.gateway._open) == 1


async def test_too_many_connections_in_a_row_are_told_to_wait_and_then_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gateway_module, "is_loopback", lambda address: False)
    monkeypatch.setattr(gateway_module, "BURST_S", 3)
    async with live_server(limits=WireLimits(connections_per_second=1, busy_retry_ms=1_000)) as server:
        async with welcomed(server.websocket_url, "ada") as ada:
            for _ in range(2):
                async with connected(server.websocket_url):
                    pass
            for _ in range(2):
                async with connected(server.websocket_url) as early:
                    assert 1_000 <= (await early.receives(Busy)).retry_ms <= 2_000
                    assert (await early.ends())[0] == CloseCode.BUSY
            lines = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(6)]
            await eventually(lambda: server.gateway.counts["turned_away"] >= 4)
            await expect_alive(ada)
            for _, writer in lines:
                writer.transport.abort()
        await eventually(lambda: not server.gateway._over_rate)


@pytest.mark.slow
async def test_a_class_behind_one_address_connects_at_once_and_reconnects_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gateway_module, "is_loopback", lambda address: False)
    async with live_server() as server:

        async def student(number: int) -> None:
            for _ in range(3):
                async with welcomed(server.websocket_url, f"student {number}") as bot:
                    await expect_alive(bot)

        await asyncio.gather(*(student(number) for number in range(40)))
        assert (server.gateway.counts["busy"], server.gateway.counts["turned_away"]) == (0, 0)


async def test_the_limit_of_all_connections_also_counts_this_machine_but_the_limit_per_address_does_not() -> None:
    async with (
        live_server(limits=WireLimits(connections=2, connections_per_address=1)) as server,
        welcomed(server.websocket_url, "ada") as ada,
        welcomed(server.websocket_url, "bob") as bob,
        connected(server.websocket_url) as third,
    ):
        assert (await third.ends())[0] == CloseCode.TOO_MANY_CONNECTIONS
        for bot in (ada, bob):
            await expect_alive(bot)


async def test_too_many_connections_without_hello_are_told_when_to_try_again() -> None:
    limits = WireLimits(hellos_in_progress=1, busy_retry_ms=1_234)
    async with (
        live_server(limits=limits) as server,
        connected(server.websocket_url),
        connected(server.websocket_url) as second,
    ):
        busy = await second.receives(Busy)
        assert 1_234 <= busy.retry_ms <= 2_468
        assert (await second.ends())[0] == CloseCode.BUSY
