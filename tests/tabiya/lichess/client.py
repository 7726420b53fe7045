"""A small client of Lichess's API over real HTTP, and servers for it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

from aiohttp import ClientResponse, ClientSession

from tabiya.api_client.settings import ClientSettings
from tabiya.lichess.app import LichessApi
from tabiya.server.app import TabiyaServer
from tests.live import PATIENCE_S, live_server

Json = dict[str, Any]


class Stream:
    """Lines of JSON of one answer."""

    def __init__(self, response: ClientResponse) -> None:
        self.response = response

    async def raw(self) -> bytes:
        """The next line as it is; nothing at the end."""
        async with asyncio.timeout(PATIENCE_S):
            return await self.response.content.readline()

    async def line(self) -> Json | None:
        """The next line that is not empty; None at the end."""
        while (raw := await self.raw()) == b"\n":
            pass
        return json.loads(raw) if raw else None

    async def event(self, kind: str) -> Json:
        """The next line of this type."""
        while (line := await self.line()) is not None:
            if line["type"] == kind:
                return line
        raise AssertionError(f"the stream ended before a {kind}")

    async def moves(self, count: int) -> Json:
        """The next state with so many moves."""
        while True:
            state = await self.event("gameState")
            if len(state["moves"].split()) == count:
                return state


class LichessClient:
    """What a bot's program does by this API."""

    def __init__(self, session: ClientSession, token: str) -> None:
        self.session, self.headers = session, {"Authorization": f"Bearer {token}"}

    async def get(self, path: str) -> Any:
        """A JSON answer."""
        async with self.session.get(path, headers=self.headers) as response:
            return await response.json()

    async def post(self, path: str, **body: Any) -> tuple[int, Json]:
        """Status and JSON answer."""
        async with self.session.post(path, headers=self.headers, **body) as response:
            return response.status, await response.json()

    async def text(self, path: str) -> str:
        """An answer that is no JSON."""
        async with self.session.get(path, headers=self.headers) as response:
            assert response.status == 200
            return await response.text()

    async def move(self, game: str, move: str, offers_draw: str = "false") -> tuple[int, Json]:
        """Play a move."""
        return await self.post(f"/api/bot/game/{game}/move/{move}?offeringDraw={offers_draw}")

    @contextlib.asynccontextmanager
    async def stream(self, path: str, method: str = "GET", **body: Any) -> AsyncIterator[Stream]:
        """A stream, closed afterwards."""
        async with self.session.request(method, path, headers=self.headers, **body) as response:
            assert response.status == 200, await response.text()
            yield Stream(response)

    def events(self) -> contextlib.AbstractAsyncContextManager[Stream]:
        """The bot's events."""
        return self.stream("/api/stream/event")

    def game(self, name: str) -> contextlib.AbstractAsyncContextManager[Stream]:
        """The states of a game."""
        return self.stream(f"/api/bot/game/stream/{name}")


@contextlib.asynccontextmanager
async def lichess_api(server: TabiyaServer, **options: Any) -> AsyncIterator[ClientSession]:
    """The API over a server; where its clients connect."""
    api = LichessApi(ClientSettings(server.pages_url), **options)
    port = await api.start("127.0.0.1", 0)
    try:
        async with ClientSession(f"http://127.0.0.1:{port}") as session:
            yield session
    finally:
        await api.stop()


@contextlib.asynccontextmanager
async def lichess_client(**options: Any) -> AsyncIterator[tuple[TabiyaServer, LichessClient]]:
    """A server, and a client that plays there as lia."""
    async with live_server() as server, lichess_api(server, **options) as session:
        yield server, LichessClient(session, await token_of(server, "lia"))


async def token_of(server: TabiyaServer, name: str) -> str:
    """The token of a new account."""
    _, token = await server.accounts.register(name, "", by_operator=True)
    return token
