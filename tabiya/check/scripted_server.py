"""The server that a bot under check connects to: websockets on loopback; the checker chooses the encoding.

It can close and listen again on the same port, as a server that restarts. Tests have one without sockets.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Protocol

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed, NegotiationError
from websockets.typing import Subprotocol

from tabiya.check.outcomes import ConnectionEnded
from tabiya.protocol.codec import Encoding, negotiate
from tabiya.protocol.limits import DEFAULT_LIMITS

HOST = "127.0.0.1"
BROKEN = 1006  # no close frame came
PING_INTERVAL_S = 1.0  # a bot must live with pings, and need not answer them while it thinks
CLOSE_TIMEOUT_S = 1.0

Frame = str | bytes

log = logging.getLogger("tabiya.check.websockets")
log.addHandler(logging.NullHandler())
log.propagate = False  # what a bot does to its connection is in the report, not in a log


class RawConnection(Protocol):
    """One connection of the bot. encoding: chosen in the handshake.  offered: the subprotocols it asked for."""

    encoding: Encoding
    offered: tuple[str, ...]

    async def send(self, frame: Frame) -> None:
        """Send a frame; nothing if the connection is closed."""

    async def receive(self) -> Frame:
        """The next frame of the bot. Raises ConnectionEnded."""

    async def close(self, code: int, reason: str) -> None:
        """Close with a code and a reason."""

    def cut(self) -> None:
        """Break the connection without a close frame."""


class ScriptedServer(Protocol):
    """What the bot connects to.

    preferred_encoding: chosen where the bot offers it; None: the bot's first.  rejected_subprotocols: offered
    in handshakes without one of ours.
    """

    preferred_encoding: Encoding | None
    rejected_subprotocols: list[str]
    connections: asyncio.Queue[RawConnection]

    @property
    def url(self) -> str:
        """The address for the bot."""

    async def open(self) -> None:
        """Listen, again on the same address. Raises OSError."""

    async def close(self) -> None:
        """Listen no more; new connections are refused, the present ones end."""


class RawWebsocket:
    """A websocket as a `RawConnection`."""

    def __init__(self, socket: ServerConnection, encoding: Encoding, offered: tuple[str, ...]) -> None:
        self._socket, self.encoding, self.offered = socket, encoding, offered

    async def send(self, frame: Frame) -> None:
        try:
            await self._socket.send(frame)
        except ConnectionClosed:
            return

    async def receive(self) -> Frame:
        try:
            return await self._socket.recv()
        except ConnectionClosed as closed:
            # the close frame of the side that began; without any the connection just broke
            close = closed.rcvd if closed.rcvd_then_sent else closed.sent or closed.rcvd
            raise ConnectionEnded(close.code if close else BROKEN, close.reason if close else "") from None

    async def close(self, code: int, reason: str) -> None:
        await self._socket.close(code, reason)

    def cut(self) -> None:
        self._socket.transport.abort()


class WebsocketServer:
    """Listens on loopback, on a port chosen by the system the first time."""

    def __init__(self) -> None:
        self.preferred_encoding: Encoding | None = None
        self.rejected_subprotocols: list[str] = []
        self.connections: asyncio.Queue[RawConnection] = asyncio.Queue()
        self._port = 0
        self._server: Server | None = None
        self._chosen: dict[ServerConnection, tuple[Encoding, tuple[str, ...]]] = {}

    @property
    def url(self) -> str:
        return f"ws://{HOST}:{self._port}"

    async def open(self) -> None:
        self._server = await serve(
            self._handle,
            HOST,
            self._port,
            select_subprotocol=self._select,
            compression=None,
            ping_interval=PING_INTERVAL_S,
            ping_timeout=None,  # a bot that thinks in its loop answers no ping
            close_timeout=CLOSE_TIMEOUT_S,
            max_size=DEFAULT_LIMITS.frame_bytes,
            max_queue=None,
            logger=log,
        )
        self._port = int(self._server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
            self._server = None

    def _select(self, socket: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
        encoding = (
            self.preferred_encoding
            if self.preferred_encoding and self.preferred_encoding.subprotocol in offered
            else negotiate(offered)
        )
        if encoding is None:
            self.rejected_subprotocols.append(", ".join(offered)[:200])
            raise NegotiationError(f"none of the subprotocols {', '.join(offered)[:200]} is supported")
        self._chosen[socket] = (encoding, tuple(offered))
        return Subprotocol(encoding.subprotocol) if offered else None  # who offers none speaks JSON

    async def _handle(self, socket: ServerConnection) -> None:
        encoding, offered = self._chosen.pop(socket)
        self.connections.put_nowait(RawWebsocket(socket, encoding, offered))
        await socket.wait_closed()  # the library closes a connection when its handler returns
