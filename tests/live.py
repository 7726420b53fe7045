"""Real servers on ports chosen by the system, in the test's event loop or as a process, and plain clients for them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import signal
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from scripts.websocket_frames import client_frame, handshake
from tabiya.games.registry import names
from tabiya.protocol.codec import Encoding, decode_server, encode
from tabiya.protocol.limits import WireLimits
from tabiya.protocol.messages import (
    ClientMessage,
    Hello,
    MatchEnded,
    Move,
    Refused,
    ServerMessage,
    Turn,
    Unseek,
    Welcome,
)
from tabiya.server.app import TabiyaServer
from tabiya.server.config import ServerConfig
from tabiya.storage.store import Store

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

PATIENCE_S = 20.0  # on a busy machine; less than the 30 s after which a server cuts by itself
ROOT = Path(__file__).parent.parent


@contextlib.asynccontextmanager
async def live_server(
    database: str = "memory:",
    *,
    store: Store | None = None,
    limits: WireLimits | None = None,
    tracer: Tracer | None = None,
    **config: Any,
) -> AsyncIterator[TabiyaServer]:
    """A running server, stopped afterwards.

    database: an address as for `tabiya serve`; store: one that is open already.  config: fields of ServerConfig.
    `server.websocket_url` is where bots connect.
    """
    settings: dict[str, Any] = {
        "port": 0,
        "pages_port": 0,
        "database_url": database,
        "limits": limits or WireLimits(),
    } | config
    server = TabiyaServer(ServerConfig(**settings), store=store, tracer=tracer)
    await server.start()
    server.load_rest()  # now: it would hold up a stream that is waited for
    try:
        yield server
    finally:
        await server.stop()


class ServerProcess:
    """`tabiya serve` in a process of its own. url: where bots connect; pages_url: where people look."""

    def __init__(self, process: asyncio.subprocess.Process, url: str, pages_url: str) -> None:
        self.process, self.url, self.pages_url = process, url, pages_url

    async def end(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """Send a signal; exit code and what it still logged."""
        assert self.process.stderr is not None
        self.process.send_signal(number)
        async with asyncio.timeout(PATIENCE_S):
            rest = await self.process.stderr.read()
            return await self.process.wait(), rest.decode()


@contextlib.asynccontextmanager
async def served(database: Path | str, *flags: str, warm_s: float = 100.0) -> AsyncIterator[ServerProcess]:
    """A server started by the command on free ports, killed afterwards if it still runs. flags: further ones.

    warm_s: how long it may take; rules that have changed are compiled before it listens.
    """
    async with serving(database, *flags) as process:
        async with asyncio.timeout(warm_s):
            server = await listening(process)
        yield server


@contextlib.asynccontextmanager
async def serving(database: Path | str, *flags: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """The same as soon as the process has begun."""
    command = ("-m", "tabiya", "serve", "--port", "0", "--pages-port", "0", "--database", str(database), *flags)
    process = await asyncio.create_subprocess_exec(sys.executable, *command, cwd=ROOT, stderr=asyncio.subprocess.PIPE)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def listening(process: asyncio.subprocess.Process) -> ServerProcess:
    """The process when it has said where it listens."""
    assert process.stderr is not None
    text = ""
    while line := (await process.stderr.readline()).decode():
        text += line
        if found := re.search(r"(ws://\S+?),? .*(http://\S+)", line):
            return ServerProcess(process, found[1], found[2])
    raise AssertionError(f"the server did not start: {text}")


async def eventually(true: Callable[[], bool]) -> None:
    """Wait in real time until something is true that tells nobody when it becomes so."""
    async with asyncio.timeout(PATIENCE_S):
        while not true():  # noqa: ASYNC110
            await asyncio.sleep(0.005)


class PlainBot:
    """A bot that only says what the test says."""

    def __init__(self, socket: ClientConnection, encoding: Encoding) -> None:
        self.socket, self.encoding = socket, encoding

    async def say(self, message: ClientMessage) -> None:
        """Send a message."""
        await self.socket.send(encode(message, self.encoding))

    async def hear(self) -> ServerMessage:
        """The next message. Raises ConnectionClosed."""
        async with asyncio.timeout(PATIENCE_S):
            return decode_server(await self.socket.recv(), self.encoding)

    async def receives(self, kind: type[Any]) -> Any:
        """The next message of this kind; those before it are passed over."""
        while not isinstance(message := await self.hear(), kind):
            pass
        return message

    async def plays(self) -> MatchEnded:
        """Answers every turn with the first legal move, until a match has ended."""
        while not isinstance(message := await self.hear(), MatchEnded):
            if isinstance(message, Turn):
                assert message.legal_moves
                await self.say(Move(match=message.match, ply=message.ply, move=message.legal_moves[0]))
        return message

    async def ends(self) -> tuple[int, str]:
        """Close code and reason; 1006 when the line was cut."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while True:
                    await self.socket.recv()
        except ConnectionClosed as closed:
            return (closed.rcvd.code, closed.rcvd.reason) if closed.rcvd else (1006, "")


@contextlib.asynccontextmanager
async def connected(url: str, encoding: Encoding = Encoding.JSON, **options: Any) -> AsyncIterator[PlainBot]:
    """A line on which nothing has been said. options: of `websockets.connect`."""
    offered = [Subprotocol(encoding.subprotocol)]
    settings = {"subprotocols": offered, "compression": None, "proxy": None, "ping_interval": None, "close_timeout": 1}
    async with connect(url, **(settings | options)) as socket:
        yield PlainBot(socket, encoding)


async def expect_alive(bot: PlainBot) -> None:
    """The connection still answers."""
    await bot.say(Unseek(game=names()[0]))
    assert (await bot.receives(Refused)).code == "not_seeking"


@contextlib.asynccontextmanager
async def welcomed(
    url: str, name: str, encoding: Encoding = Encoding.JSON, options: dict[str, Any] | None = None, **hello: Any
) -> AsyncIterator[PlainBot]:
    """A welcomed bot. options: of `websockets.connect`; hello: further fields of `hello`."""
    async with connected(url, encoding, **(options or {})) as bot:
        await bot.say(Hello(name=name, **hello))
        assert isinstance(await bot.hear(), Welcome)
        yield bot


class RawLine:
    """A TCP connection, for what no websocket library would send."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def request(self, *lines: str) -> bytes:
        """Send HTTP lines and an empty one; the answer's head."""
        return await self._answer("\r\n".join([*lines, "", ""]).encode("latin-1"))

    async def _answer(self, request: bytes) -> bytes:
        self.writer.write(request)
        async with asyncio.timeout(PATIENCE_S):
            return await self.reader.readuntil(b"\r\n\r\n")

    async def upgrade(self, *more: str) -> bytes:
        """The websocket handshake; more: further headers."""
        return await self._answer(handshake("", *more))

    def frame(self, opcode: int, data: bytes = b"", *, fin: bool = True) -> None:
        """Send one frame, masked with zeros."""
        self.writer.write(client_frame(data, opcode, fin=fin))

    def say(self, **message: Any) -> None:
        """Send a message in a text frame."""
        self.frame(1, json.dumps(message).encode())

    async def end(self) -> bytes:
        """Everything until the server has closed the connection."""
        async with asyncio.timeout(PATIENCE_S):
            with contextlib.suppress(ConnectionResetError):
                return await self.reader.read()
        return b""


@contextlib.asynccontextmanager
async def raw_line(server: TabiyaServer) -> AsyncIterator[RawLine]:
    """A TCP connection to a server's websocket port."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    try:
        yield RawLine(reader, writer)
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
