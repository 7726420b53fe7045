"""The checker's server with real websockets."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from tabiya.check.outcomes import ConnectionEnded
from tabiya.check.scripted_server import RawConnection, WebsocketServer
from tabiya.protocol.codec import SUBPROTOCOLS, Encoding
from tests.waiting import WITHIN_S

BOTH = [Subprotocol(name) for name in SUBPROTOCOLS]


@contextlib.asynccontextmanager
async def opened() -> AsyncIterator[WebsocketServer]:
    server = WebsocketServer()
    await server.open()
    try:
        yield server
    finally:
        await server.close()


@contextlib.asynccontextmanager
async def entered(
    server: WebsocketServer, offered: list[Subprotocol] | None
) -> AsyncIterator[tuple[ClientConnection, RawConnection]]:
    async with connect(server.url, subprotocols=offered, proxy=None, ping_interval=None) as bot:
        async with asyncio.timeout(WITHIN_S):
            connection = await server.connections.get()
        yield bot, connection


@pytest.mark.parametrize(
    ("offered", "preferred_encoding", "encoding"),
    [
        (None, None, Encoding.JSON),
        (None, Encoding.MSGPACK, Encoding.JSON),
        (BOTH, None, Encoding.MSGPACK),
        (BOTH, Encoding.JSON, Encoding.JSON),
        (BOTH[::-1], None, Encoding.JSON),
        (BOTH[1:], Encoding.MSGPACK, Encoding.JSON),
    ],
)
async def test_the_server_chooses_what_is_preferred_where_it_is_offered(
    offered: list[Subprotocol] | None, preferred_encoding: Encoding | None, encoding: Encoding
) -> None:
    async with opened() as server:
        server.preferred_encoding = preferred_encoding
        async with entered(server, offered) as (bot, connection):
            assert connection.encoding is encoding
            assert connection.offered == tuple(offered or ())
            assert bot.subprotocol == (encoding.subprotocol if offered else None)


async def test_a_stranger_is_turned_away_and_remembered() -> None:
    async with opened() as server:
        with pytest.raises(InvalidStatus):
            async with entered(server, [Subprotocol("chat")]):
                pass
        assert server.rejected_subprotocols == ["chat"]


async def test_frames_go_both_ways_and_a_close_has_its_code() -> None:
    async with opened() as server, entered(server, None) as (bot, connection):
        await connection.send("turn")
        assert await bot.recv() == "turn"
        await bot.send("move")
        assert await connection.receive() == "move"
        await connection.close(4005, "replaced")
        with pytest.raises(ConnectionClosed) as closed:
            await bot.recv()
        assert closed.value.rcvd is not None
        assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (4005, "replaced")
        await connection.send("nothing")


async def test_a_cut_line_ends_without_a_code() -> None:
    async with opened() as server, entered(server, None) as (bot, connection):
        connection.cut()
        with pytest.raises(ConnectionClosed) as closed:
            await bot.recv()
        assert closed.value.rcvd is None
        with pytest.raises(ConnectionEnded, match="1006"):
            await connection.receive()


async def test_a_bot_that_leaves_is_noticed_with_its_code() -> None:
    async with opened() as server, entered(server, None) as (bot, connection):
        await bot.close(1001, "enough")
        with pytest.raises(ConnectionEnded) as ended:
            await connection.receive()
        assert (ended.value.code, ended.value.reason) == (1001, "enough")


async def test_a_frame_that_is_too_large_ends_the_line_with_oversize() -> None:
    async with opened() as server, entered(server, None) as (bot, connection):
        await bot.send("x" * 20_000)
        with pytest.raises(ConnectionEnded) as ended:
            await connection.receive()
        assert ended.value.code == 1009


async def test_a_server_that_was_closed_listens_on_the_same_address() -> None:
    async with opened() as server:
        url = server.url
        async with entered(server, None) as (bot, _):
            await server.close()
            with pytest.raises(ConnectionClosed):
                await bot.recv()
        with pytest.raises(OSError, match=r"\d"):
            async with entered(server, None):
                pass
        await server.open()
        assert server.url == url
        async with entered(server, None):
            pass
