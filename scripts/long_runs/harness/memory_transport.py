"""Transports and listening sockets without a network, with the methods that asyncio's protocols call."""

from __future__ import annotations

import asyncio
import socket
from typing import Any


class MemoryTransport(asyncio.Transport):
    """One end of a connection. Subclasses define `write` and `close`."""

    def __init__(self, peer: str) -> None:
        super().__init__({"peername": (peer, 1), "sockname": ("127.0.0.1", 2)})
        self.protocol: asyncio.Protocol
        self.closing = self.is_paused = False

    def is_closing(self) -> bool:
        return self.closing

    def abort(self) -> None:
        self.close()

    def writelines(self, list_of_data: Any) -> None:
        self.write(b"".join(list_of_data))

    def write_eof(self) -> None:
        return

    def can_write_eof(self) -> bool:
        return True

    def pause_reading(self) -> None:
        self.is_paused = True

    def resume_reading(self) -> None:
        self.is_paused = False

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        assert isinstance(protocol, asyncio.Protocol)
        self.protocol = protocol

    def get_write_buffer_size(self) -> int:
        return 0

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        return


class Listening:
    """An asyncio.Server and its one socket. factories: of all that listen; closing removes its own."""

    family = socket.AF_INET

    def __init__(self, loop: asyncio.AbstractEventLoop, factories: list[Any], factory: Any) -> None:
        self._loop, self._factories, self._factory = loop, factories, factory
        self.sockets = (self,)
        factories.append(factory)

    def getsockname(self) -> tuple[str, int]:
        """A made-up address."""
        return "127.0.0.1", len(self._factories)

    def get_loop(self) -> asyncio.AbstractEventLoop:
        """Its loop."""
        return self._loop

    def is_serving(self) -> bool:
        """Whether it still takes connections."""
        return self._factory in self._factories

    def close(self) -> None:
        """Take no more."""
        if self._factory in self._factories:
            self._factories.remove(self._factory)

    async def wait_closed(self) -> None:
        """Return at once."""
