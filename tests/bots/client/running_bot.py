"""Bots that run in the test's loop against a server that says what the test tells it to."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from random import Random
from typing import Any

from tabiya.bots.client.bot import Bot
from tabiya.bots.client.choice import Choice
from tabiya.bots.client.connection import Client
from tabiya.bots.client.errors import ClientError
from tabiya.bots.client.events import Event
from tabiya.bots.client.run import run_config
from tabiya.bots.client.summary import Summary
from tabiya.bots.client.turn import Turn
from tests.bots.client.fake_server import FakeServer, Peer, fake_server
from tests.waiting import WITHIN_S


class Amy(Bot):
    """Plays the first legal move and writes down what it was called with."""

    name = "amy"
    needs_rules = False

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def choose(self, turn: Turn) -> str | Choice:
        self.calls.append(turn)
        return turn.legal_moves[0]


class Slow(Amy):
    """Answers when the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()
        self.answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def choose(self, turn: Turn) -> str:  # type: ignore[override]  # an author would not derive twice
        self.calls.append(turn)
        self.asked.set()
        return await self.answer


class Run:
    """A client under test, with virtual waiting."""

    def __init__(self, bot: Bot, address: str, **options: Any) -> None:
        self.events: list[Event] = []
        self.slept: list[float] = []
        plan = run_config(bot, address, **options)
        self.client = Client(bot, plan, self.events.append, random=Random(7), sleep=self.sleep)
        self.task = asyncio.create_task(self.client.run())

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(0)

    def received(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    async def result(self) -> Summary:
        return await asyncio.wait_for(self.task, WITHIN_S)


@contextlib.asynccontextmanager
async def running(bot: Bot, server: FakeServer | str, **options: Any) -> AsyncIterator[Run]:
    run = Run(bot, server if isinstance(server, str) else server.url, **options)
    try:
        yield run
    finally:
        run.task.cancel()
        with contextlib.suppress(asyncio.CancelledError, ClientError):
            await run.task


@contextlib.asynccontextmanager
async def playing(bot: Bot, **options: Any) -> AsyncIterator[tuple[Peer, Run]]:
    """A bot that a fake server has welcomed: its connection, and its run."""
    async with fake_server() as server, running(bot, server, **options) as run:
        peer = await server.connection()
        await peer.welcome()
        yield peer, run
