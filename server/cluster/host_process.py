"""A host as a process: takes a number, opens the database and the bus, and plays."""

from __future__ import annotations

import platform
import time

from tabiya.server.cluster.bus import BusError
from tabiya.server.cluster.match_host import MatchHost
from tabiya.server.config import ServerConfig
from tabiya.server.transport.listening import StartError
from tabiya.storage.errors import StoreError
from tabiya.storage.open import open_store
from tabiya.storage.store import Store


class HostProcess:
    """One such process: `await start()`, then it runs until `await stop()`. store, host: once started."""

    store: Store
    host: MatchHost

    def __init__(self, config: ServerConfig) -> None:
        """config: of the database, the bus and the limits; all else the server keeps with its matches."""
        self._config = config

    async def start(self) -> None:
        """Begin to play. Raises StartError."""
        from tabiya.server.cluster.nats_bus import NatsBus

        config = self._config
        try:
            number = await self._number()
            self.store = await open_store(
                config.database_url, durability=config.durability, readers=config.database_readers, host=number
            )
            bus = await NatsBus.connect(config.bus_url)
        except (StoreError, BusError) as error:
            raise StartError(str(error)) from error
        self.host = MatchHost(config, bus, self.store, number)
        await self.host.start()

    async def _number(self) -> int:
        """One that no host had before."""
        store = await open_store(self._config.database_url, create=False, readers=1)
        try:
            return await store.register_host(platform.node(), time.time())
        finally:
            await store.close()

    async def stop(self) -> None:
        """See `MatchHost.stop`."""
        if hasattr(self, "host"):
            await self.host.stop()
