"""A whole server with its ports in memory and virtual time: bytes go in where the sockets would be.

    server = MemoryServer()                       # TabiyaServer, gateway and websocket parser are the real ones
    line = server.connect()                       # a websocket, its handshake done
    server.say(line, b"..."); server.run(seconds=1.0)
    server.faults()                               # what must not be, one sentence each
    server.close()

Nothing waits: hours pass at once, and the same bytes take the same steps every time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from scripts.long_runs.harness.memory_transport import Listening, MemoryTransport
from scripts.websocket_frames import handshake
from tabiya.protocol.limits import WireLimits
from tabiya.server.app import TabiyaServer
from tabiya.server.config import ServerConfig
from tests.server.invariants import broken_invariants
from tests.virtual_time import VirtualTimeLoop, now_ns, wall_ns

LONG_S = 3_600.0
MOST_HOURS = 200  # the clocks of peers that have gone run out; they may have asked for days
DAY_S = 86_400.0


class MemoryLoop(VirtualTimeLoop):
    """A loop whose servers listen in memory. listening: the protocol factories, in the order they came."""

    def __init__(self) -> None:
        super().__init__()
        self.listening: list[Callable[[], asyncio.Protocol]] = []

    async def create_server(self, protocol_factory: Any, *_: Any, **__: Any) -> Any:
        """Keep the protocol factory."""
        return Listening(self, self.listening, protocol_factory)


class PeerConnection(MemoryTransport):
    """The server's end of a connection whose peer reads everything at once."""

    def __init__(self, loop: asyncio.AbstractEventLoop, protocol: asyncio.Protocol) -> None:
        super().__init__("127.0.0.1")
        self._loop, self.protocol = loop, protocol
        protocol.connection_made(self)

    def bytes(self, data: bytes) -> None:
        """The peer sends; what the server does not want to read any more is lost."""
        if not (self.closing or self.is_paused):
            self.protocol.data_received(data)

    def close(self) -> None:
        if not self.closing:
            self.closing = True
            self._loop.call_soon(self.protocol.connection_lost, None)

    def write(self, data: Any) -> None:
        return


class _Errors(logging.Handler):
    """Keeps what was logged as an error."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.seen: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        cause = f": {record.exc_info[1]!r}" if record.exc_info else ""
        self.seen.append(record.getMessage() + cause)


class MemoryServer:
    """A running server. Pages are not reached from here."""

    def __init__(self, **settings: Any) -> None:
        """settings: of ServerConfig."""
        self.loop = MemoryLoop()
        self._errors = _Errors()
        logging.getLogger().addHandler(self._errors)
        limits = WireLimits(ping_interval_s=DAY_S)  # nothing to do in the hours that pass
        config = ServerConfig(database_url="memory:", port=0, pages_port=0, limits=limits, **settings)
        self.server = TabiyaServer(config, now_ns=now_ns, wall_ns=wall_ns)
        self.loop.run_until_complete(self.server.start())
        self.server.gateway.lag_monitor.stop()  # it looks for lag a hundred times a second; here there is none
        self._tasks = len(asyncio.all_tasks(self.loop))

    def connect(self, encoding: str = "json") -> PeerConnection:
        """A connection to the bots' port, its handshake done."""
        line = self.loop.run_until_complete(self._accept())
        self.say(line, handshake(f"tabiya.v1.{encoding}"))
        return line

    async def _accept(self) -> PeerConnection:
        return PeerConnection(self.loop, self.loop.listening[0]())

    def say(self, line: PeerConnection, data: bytes, seconds: float = 0.0) -> None:
        """Bytes of a peer are read, and so much time passes."""
        self.loop.call_soon(line.bytes, data)
        self.run(seconds)

    def run(self, seconds: float = 0.0) -> None:
        """Let everything happen that needs no time, then so much more."""
        self.loop.run_until_complete(self._idle(seconds))

    async def _idle(self, seconds: float) -> None:
        for _ in range(10):
            await asyncio.sleep(0)
        if seconds:
            await asyncio.sleep(seconds)

    def faults(self) -> list[str]:
        """What must not be once every peer has gone and every clock has run out. Each error is told once."""
        host, gateway = self.server.dispatcher, self.server.gateway
        for _ in range(MOST_HOURS):
            self.run(LONG_S)
            if not host.runner.running():
                break
        left = {
            "connections": gateway.connections,
            "bots": len(host.sessions),
            "matches": len(host.runner.running()),
            "frozen matches": host.runner.frozen,
            "tasks": len(asyncio.all_tasks(self.loop)) - self._tasks,
        }
        wrong = [f"{count} {what} are left" for what, count in left.items() if count > 0]
        wrong += [f"logged as an error: {text}" for text in self._errors.seen] + broken_invariants(host)
        self._errors.seen.clear()
        return wrong

    def close(self) -> None:
        """Stop the server."""
        logging.getLogger().removeHandler(self._errors)
        self.loop.run_until_complete(self.server.stop())
        self.loop.close()
