"""The checker's own front door: websockets on loopback, with the choice of encoding in the checker's hand.

It can be shut and opened again on the same port, as by a server that restarts. Tests have a door without sockets.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Protocol

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed, NegotiationError
from websockets.typing import Subprotocol

from tabiya.check.outcomes import LineEnded
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


class Line(Protocol):
    """One connection of the bot. encoding: chosen in the handshake.  offered: the subprotocols it asked for."""

    encoding: Encoding
    offered: tuple[str, ...]

    async def send(self, frame: Frame) -> None:
        """Send a frame; nothing if the line is closed."""

    async def receive(self) -> Frame:
        """The next frame of the bot. Raises LineEnded."""

    async def close(self, code: int, reason: str) -> None:
        """Say goodbye with a close code."""

    def cut(self) -> None:
        """Break the line without a word."""


class Door(Protocol):
    """Where the bot connects.

    prefer: the encoding to choose where the bot offers it, None for the bot's first.  turned_away: subprotocols offered
    in handshakes that had none we speak.
    """

    prefer: Encoding | None
    turned_away: list[str]
    arrivals: asyncio.Queue[Line]

    @property
    def url(self) -> str:
        """The address for the bot."""

    async def open(self) -> None:
        """Listen, again on the same address. Raises OSError."""

    async def shut(self) -> None:
        """Listen no more; new connections are refused, the present ones end."""


class SocketLine:
    """A websocket as a `Line`."""

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
            said = closed.rcvd if closed.rcvd_then_sent else closed.sent or closed.rcvd
            raise LineEnded(said.code if said else BROKEN, said.reason if said else "") from None

    async def close(self, code: int, reason: str) -> None:
        await self._socket.close(code, reason)

    def cut(self) -> None:
        self._socket.transport.abort()


class WebsocketDoor:
    """Listens on loopback, on a port chosen by the system the first time."""

    def __init__(self) -> None:
        self.prefer: Encoding | None = None
        self.turned_away: list[str] = []
        self.arrivals: asyncio.Queue[Line] = asyncio.Queue()
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
            ping_timeout=None,
            close_timeout=CLOSE_TIMEOUT_S,
            max_size=DEFAULT_LIMITS.frame_bytes,
            max_queue=None,
            logger=log,
        )
        self._port = int(self._server.sockets[0].getsockname()[1])

    async def shut(self) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
            self._server = None

    def _select(self, socket: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
        encoding = self.prefer if self.prefer and self.prefer.subprotocol in offered else negotiate(offered)
        if encoding is None:
            self.turned_away.append(", ".join(offered)[:200])
            raise NegotiationError(f"none of the subprotocols {', '.join(offered)[:200]} is spoken here")
        self._chosen[socket] = (encoding, tuple(offered))
        return Subprotocol(encoding.subprotocol) if offered else None

    async def _handle(self, socket: ServerConnection) -> None:
        encoding, offered = self._chosen.pop(socket)
        self.arrivals.put_nowait(SocketLine(socket, encoding, offered))
        await socket.wait_closed()
