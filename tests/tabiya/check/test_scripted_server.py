"""The checker's door with real websockets."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from tabiya.check.outcomes import LineEnded
from tabiya.check.scripted_server import Line, WebsocketDoor
from tabiya.protocol.codec import SUBPROTOCOLS, Encoding

BOTH = [Subprotocol(name) for name in SUBPROTOCOLS]
PATIENCE_S = 10.0


@contextlib.asynccontextmanager
async def opened() -> AsyncIterator[WebsocketDoor]:
    door = WebsocketDoor()
    await door.open()
    try:
        yield door
    finally:
        await door.shut()


@contextlib.asynccontextmanager
async def entered(
    door: WebsocketDoor, offered: list[Subprotocol] | None
) -> AsyncIterator[tuple[ClientConnection, Line]]:
    async with connect(door.url, subprotocols=offered, proxy=None, ping_interval=None) as bot:
        async with asyncio.timeout(PATIENCE_S):
            line = await door.arrivals.get()
        yield bot, line


@pytest.mark.parametrize(
    ("offered", "prefer", "encoding"),
    [
        (None, None, Encoding.JSON),
        (None, Encoding.MSGPACK, Encoding.JSON),
        (BOTH, None, Encoding.MSGPACK),
        (BOTH, Encoding.JSON, Encoding.JSON),
        (BOTH[::-1], None, Encoding.JSON),
        (BOTH[1:], Encoding.MSGPACK, Encoding.JSON),
    ],
)
async def test_the_door_chooses_what_is_preferred_where_it_is_offered(
    offered: list[Subprotocol] | None, prefer: Encoding | None, encoding: Encoding
) -> None:
    async with opened() as door:
        door.prefer = prefer
        async with entered(door, offered) as (bot, line):
            assert line.encoding is encoding
            assert line.offered == tuple(offered or ())
            assert bot.subprotocol == (encoding.subprotocol if offered else None)


async def test_a_stranger_is_turned_away_and_remembered() -> None:
    async with opened() as door:
        with pytest.raises(InvalidStatus):
            async with entered(door, [Subprotocol("chat")]):
                pass
        assert door.turned_away == ["chat"]


async def test_frames_go_both_ways_and_a_close_has_its_code() -> None:
    async with opened() as door, entered(door, None) as (bot, line):
        await line.send("turn")
        assert await bot.recv() == "turn"
        await bot.send("move")
        assert await line.receive() == "move"
        await line.close(4005, "replaced")
        with pytest.raises(ConnectionClosed) as closed:
            await bot.recv()
        assert closed.value.rcvd is not None
        assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (4005, "replaced")
        await line.send("nothing")


async def test_a_cut_line_ends_without_a_code() -> None:
    async with opened() as door, entered(door, None) as (bot, line):
        line.cut()
        with pytest.raises(ConnectionClosed) as closed:
            await bot.recv()
        assert closed.value.rcvd is None
        with pytest.raises(LineEnded, match="1006"):
            await line.receive()


async def test_a_bot_that_leaves_is_noticed_with_its_code() -> None:
    async with opened() as door, entered(door, None) as (bot, line):
        await bot.close(1001, "enough")
        with pytest.raises(LineEnded) as ended:
            await line.receive()
        assert (ended.value.code, ended.value.reason) == (1001, "enough")


async def test_a_frame_that_is_too_large_ends_the_line_with_oversize() -> None:
    async with opened() as door, entered(door, None) as (bot, line):
        await bot.send("x" * 20_000)
        with pytest.raises(LineEnded) as ended:
            await line.receive()
        assert ended.value.code == 1009


async def test_a_door_that_was_shut_opens_on_the_same_address() -> None:
    async with opened() as door:
        url = door.url
        async with entered(door, None) as (bot, _):
            await door.shut()
            with pytest.raises(ConnectionClosed):
                await bot.recv()
        with pytest.raises(OSError, match=r"\d"):
            async with entered(door, None):
                pass
        await door.open()
        assert door.url == url
        async with entered(door, None):
            pass
