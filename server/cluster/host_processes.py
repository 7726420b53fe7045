"""The processes of one server that hold its bots and play its matches, as the server sees them."""

from __future__ import annotations

from typing import Protocol

from tabiya.server.cluster.hosts import Hosts
from tabiya.server.config import ServerConfig
from tabiya.storage.store import Store


class HostProcesses(Protocol):
    """Each is a host of a number, and holds connections of bots at the server's port."""

    async def register(self, store: Store) -> tuple[int, ...]:
        """Their numbers, before they are started: matches can be given to them. Raises StoreError."""

    async def start(self, store: Store, hosts: Hosts, config: ServerConfig) -> None:
        """Start them, and return when all of them play; from now on each that ends is started again.

        config: its port is where they listen, its bus the one of the server.  Raises StartError.
        """

    async def stop(self) -> None:
        """Have them save what is under way, and end them."""
