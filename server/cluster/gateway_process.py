"""A gateway process: it holds the bots' websockets; hosts behind the bus play the matches."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable

from tabiya.server.cluster.bus import Bus
from tabiya.server.cluster.link import HEARTBEAT_S
from tabiya.server.cluster.relay import Relay, RelayedConnection
from tabiya.server.config import ServerConfig
from tabiya.server.transport.addresses import is_loopback_name
from tabiya.server.transport.allowed_hosts import AllowedHosts
from tabiya.server.transport.base import Clock
from tabiya.server.transport.gateway import Gateway
from tabiya.server.transport.public_address import read_public_url

CLOSING = "this gateway closes; the matches go on, come back by another one"


class GatewayServer:
    """One gateway: `await start()`, then it runs until `await stop()`. port: where it listens, once started."""

    port: int

    def __init__(
        self,
        config: ServerConfig,
        bus: Bus,
        now_ns: Clock = time.monotonic_ns,
        also_paused: Callable[[int, int], None] | None = None,
    ) -> None:
        """config: host, port, limits and names are used, all else is the server's affair.  also_paused: of `Relay`."""
        public = read_public_url(config.public_url)
        self._config = config
        self.allowed_hosts = AllowedHosts(config.host, config.allowed_hosts, public.url if public else "")
        self.relay = Relay(bus, now_ns, config.limits.frame_bytes, also_paused)
        self.gateway = Gateway(
            self.relay,
            config.limits,
            now_ns,
            self.allowed_hosts,
            lambda gateway: RelayedConnection(gateway, self.relay),
        )
        self._beating: asyncio.Task[None] | None = None

    async def start(self, *, shares_port: bool = False) -> None:
        """Listen on the bus, then for bots. shares_port: as of `Gateway.start`. Raises BusError, OSError."""
        if not is_loopback_name(self._config.host):
            self.allowed_hosts.learn_full_name()
        await self.relay.start()
        self.port = await self.gateway.start(self._config.host, self._config.port, shares_port=shares_port)
        self._beating = asyncio.create_task(self._beat())

    async def stop(self, why: str = CLOSING) -> None:
        """Close the bots' connections."""
        await self.gateway.stop(why)
        if self._beating is not None:
            self._beating.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._beating

    async def _beat(self) -> None:
        while True:
            self.relay.beat()
            await asyncio.sleep(HEARTBEAT_S)
