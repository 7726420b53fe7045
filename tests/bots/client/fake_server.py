"""A server that says what the test tells it to, on a port chosen by the system."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any, TypeVar

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from tabiya.protocol.codec import SUBPROTOCOLS, Encoding, decode_client, encode
from tabiya.protocol.limits import DEFAULT_LIMITS
from tabiya.protocol.messages import (
    ClientMessage,
    Clocks,
    Hello,
    History,
    MatchEnded,
    MatchStarted,
    RunningMatch,
    ServerMessage,
    Turn,
    Welcome,
)
from tests.waiting import WITHIN_S

M = TypeVar("M", bound=ClientMessage)
GAME = "tictactoe"
EMPTY = "--------- X"
LIMITS = DEFAULT_LIMITS.for_bot()


def welcome(name: str = "amy", running: tuple[int, ...] = (), **fields: Any) -> Welcome:
    """A welcome; running: the numbers of the matches still running."""
    matches = tuple(RunningMatch(match=match, game=GAME, seat=0, opponent="bea") for match in running)
    base: dict[str, Any] = {
        "server": "fake/1",
        "protocol": 1,
        "session": "c1",
        "authenticated": True,
        "games": (GAME, "nim"),
    }
    return Welcome(name=name, matches=matches, limits=LIMITS, **(base | fields))


def turn(match: int = 1, ply: int = 0, **fields: Any) -> Turn:
    """A turn with a minute on the clock."""
    base: dict[str, Any] = {
        "game": GAME,
        "position": EMPTY,
        "seat": 0,
        "last_move": None,
        "legal_moves": ("a1", "b2", "c3"),
        "history": History(position=EMPTY),
        "clock_ms": Clocks(you=60_000, opponent=60_000),
        "time_control": "60+0",
        "move_limit_ms": 60_000,
    }
    return Turn(match=match, ply=ply, **(base | fields))


def started(match: int = 1) -> MatchStarted:
    """A match begins."""
    return MatchStarted(
        match=match, game=GAME, seat=0, names=("amy", "bea"), position=EMPTY, time_control="60+0", rated=True
    )


def ended(match: int = 1, score: float | None = 1.0) -> MatchEnded:
    """A match ends."""
    results = {1.0: ("1-0", 0), 0.5: ("1/2-1/2", None), 0.0: ("0-1", 1), None: ("*", None)}
    result, winner = results[score]
    return MatchEnded(
        match=match,
        game=GAME,
        seat=0,
        result=result,
        winner=winner,
        score=score,
        ending="completed",
        position=EMPTY,
        last_move=None,
        plies=0,
    )


class Peer:
    """One connection of the bot under test."""

    def __init__(self, socket: ServerConnection) -> None:
        self.socket = socket
        assert socket.subprotocol is not None
        self.encoding = Encoding(socket.subprotocol.rpartition(".")[2])
        self.closed = asyncio.Event()

    async def send(self, *messages: ServerMessage) -> None:
        """Send messages in order."""
        for message in messages:
            await self.socket.send(encode(message, self.encoding))

    async def receive(self) -> ClientMessage:
        """The next message."""
        return decode_client(await asyncio.wait_for(self.socket.recv(), WITHIN_S), self.encoding)

    async def expect(self, kind: type[M]) -> M:
        """The next message, which must be of this kind."""
        message = await self.receive()
        assert isinstance(message, kind), f"expected {kind.__name__}, received {message}"
        return message

    async def quiet(self) -> None:
        """Nothing comes: the bot answers a ping, and what it had to say before that would be here."""
        await asyncio.wait_for(await self.socket.ping(), WITHIN_S)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.005):
                raise AssertionError(f"received {decode_client(await self.socket.recv(), self.encoding)}")

    async def welcome(self, **fields: Any) -> Hello:
        """Receive hello, send welcome."""
        hello = await self.expect(Hello)
        await self.send(welcome(hello.name, **fields))
        return hello

    async def close(self, code: int = 1000, reason: str = "") -> None:
        """Close with a close frame."""
        await self.socket.close(code, reason)

    async def cut(self) -> None:
        """Break the connection without a word."""
        self.socket.transport.abort()
        await self.gone()

    async def gone(self) -> int:
        """Wait until the bot has closed; the close code."""
        with contextlib.suppress(ConnectionClosed):
            while True:
                await asyncio.wait_for(self.socket.recv(), WITHIN_S)
        return self.socket.close_code or 1006


class FakeServer:
    """Hands out the connections of the bot under test, and answers GET with `pages`."""

    def __init__(self) -> None:
        self.port = 0
        self.pages: dict[str, tuple[int, bytes]] = {}
        self.refuse_handshakes = 0
        self.handshakes = 0
        self._peers: asyncio.Queue[Peer] = asyncio.Queue()

    @property
    def url(self) -> str:
        """The websocket address."""
        return f"ws://127.0.0.1:{self.port}"

    async def connection(self) -> Peer:
        """The next connection."""
        return await asyncio.wait_for(self._peers.get(), WITHIN_S)

    async def handle(self, socket: ServerConnection) -> None:
        """Hand a connection to the test and hold it until it is closed."""
        await self._peers.put(Peer(socket))
        await socket.wait_closed()

    def screen(self, socket: ServerConnection, request: Request) -> Response | None:
        """Answer pages; refuse as many handshakes as the test has said."""
        if request.path in self.pages:
            status, body = self.pages[request.path]
            response = socket.respond(status, "")
            response.body = body
            del response.headers["Content-Length"]
            response.headers["Content-Length"] = str(len(body))
            return response
        if "Upgrade" not in request.headers:
            return socket.respond(426, "")
        self.handshakes += 1
        if self.refuse_handshakes:
            self.refuse_handshakes -= 1
            return socket.respond(503, "")
        return None


@contextlib.asynccontextmanager
async def fake_server() -> AsyncIterator[FakeServer]:
    """A running fake server."""
    fake = FakeServer()
    subprotocols = [Subprotocol(name) for name in SUBPROTOCOLS]
    async with serve(
        fake.handle, "127.0.0.1", 0, subprotocols=subprotocols, process_request=fake.screen, close_timeout=1
    ) as server:
        fake.port = server.sockets[0].getsockname()[1]
        yield fake
