"""A host as a process: takes a number, opens database and bus, plays matches."""

from __future__ import annotations

import asyncio
import platform
import time

from tabiya.server.cluster.bus import BusError
from tabiya.server.cluster.connect import connect_bus
from tabiya.server.cluster.gateway_process import GatewayServer
from tabiya.server.cluster.match_host import MatchHost
from tabiya.server.config import ServerConfig
from tabiya.server.transport.listening import StartError, cannot_listen
from tabiya.storage.errors import StoreError
from tabiya.storage.open import open_store
from tabiya.storage.store import Store


class HostProcess:
    """One such process: `await start()`, then it runs until `await stop()`. store, host: once started."""

    store: Store
    host: MatchHost

    def __init__(self, config: ServerConfig, number: int = 0) -> None:
        """config: of the database, the bus and the limits; all else the server keeps with its matches.

        number: of a process of `tabiya serve --processes`, registered by its server: it holds connections of bots, too,
        at the server's port, and leaves its matches as they are when it ends, for the server sees that.
        """
        self._config, self._number = config, number
        self._gateway: GatewayServer | None = None

    async def start(self) -> None:
        """Start playing. Raises StartError."""
        config = self._config
        try:
            number = self._number or await self._registered()
            self.store = await open_store(
                config.database_url, durability=config.durability, readers=config.database_readers, host=number
            )
            bus = await connect_bus(config.bus_url)
        except (StoreError, BusError) as error:
            raise StartError(str(error)) from error
        gateway = GatewayServer(config, bus) if self._number else None
        self.host = MatchHost(config, bus, self.store, number, gateway=gateway.relay.name if gateway else "")
        if gateway is not None:
            gateway.relay.plays_here(number, self.host.dispatcher)
            try:
                await gateway.start(shares_port=True)
            except OSError as error:
                raise cannot_listen(error, config.host, config.port) from error
            self._gateway = gateway
        await self.host.start()

    async def _registered(self) -> int:
        """A new host number."""
        store = await open_store(self._config.database_url, create=False, readers=1)
        try:
            return await store.register_host(platform.node(), time.time())
        finally:
            await store.close()

    async def stop(self) -> None:
        """See `MatchHost.stop`."""
        if hasattr(self, "host"):
            stopping = [self.host.stop(hands_on=not self._number)]
            if self._gateway is not None:
                stopping.append(self._gateway.stop())
            await asyncio.gather(*stopping)  # clocks stop first
