"""The bus at an address."""

from __future__ import annotations

from tabiya.server.cluster.bus import Bus


async def connect_bus(url: str) -> Bus:
    """The bus of `unix:FOLDER`, for processes of one machine, or of `nats://HOST:PORT`. Raises BusError."""
    if url.startswith("unix:"):
        from tabiya.server.cluster.unix_bus import UnixBus

        return await UnixBus.connect(url)
    from tabiya.server.cluster.nats_bus import NatsBus

    return await NatsBus.connect(url)
