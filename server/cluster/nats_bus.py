"""The bus over core NATS (nats-py): at most once, which is enough, because every move is saved before it is sent."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING

from tabiya.server.cluster.bus import Arrived, BusError

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.aio.msg import Msg

log = logging.getLogger("tabiya.bus")

CONNECT_S = 2
RECONNECT_S = 0.2  # between two tries after the bus was lost
PING_S = 2  # a bus that does not answer two of them is lost
START_S = 10.0  # for a bus that is started at the same moment
MISSING = "a bus needs the package nats-py: pip install 'tabiya[gateways]'"


class NatsBus:
    """A `tabiya.server.cluster.bus.Bus`. What is published while the bus is away goes when it is back, or is lost."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._waiting: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue()
        self._sending = asyncio.create_task(self._send(), name="bus")

    @classmethod
    async def connect(cls, url: str) -> NatsBus:
        """Connect to `nats://HOST:PORT`, or several with commas between them. Raises BusError."""
        try:
            from nats.aio.client import Client
        except ImportError:
            raise BusError(MISSING) from None
        from nats.errors import Error

        client = Client()

        async def disconnected() -> None:
            if not client.is_closed:  # otherwise we disconnected on purpose
                log.warning("the bus is lost; bots stay connected, and matches wait for it")

        try:
            async with asyncio.timeout(START_S):
                await client.connect(
                    _servers(url),
                    connect_timeout=CONNECT_S,
                    reconnect_time_wait=RECONNECT_S,  # type: ignore[arg-type]  # which is only slept
                    max_reconnect_attempts=-1,
                    ping_interval=PING_S,
                    error_cb=_failed,
                    disconnected_cb=disconnected,
                    reconnected_cb=_reconnected,
                )
        except TimeoutError:
            raise BusError(f"the bus {url} does not answer: is nats-server running?") from None
        except (Error, OSError) as error:
            raise BusError(f"the bus {url} cannot be used: {error}") from None
        return cls(client)

    def publish(self, subject: str, data: bytes) -> None:
        """See `Bus.publish`."""
        self._waiting.put_nowait((subject, data))

    async def subscribe(self, subject: str, arrived: Arrived) -> None:
        """See `Bus.subscribe`."""

        async def on_message(message: Msg) -> None:
            try:
                arrived(message.data)
            except Exception:
                log.exception("an internal error about what came on %s", subject)

        await self._client.subscribe(subject, cb=on_message)
        # From now on nothing is missed. Twice: the library writes the first ping before what waits to be written.
        await self._client.flush()
        await self._client.flush()

    async def close(self) -> None:
        """See `Bus.close`."""
        from nats.errors import Error

        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CONNECT_S):
                await self._waiting.join()
        self._sending.cancel()
        with contextlib.suppress(Error, OSError, TimeoutError):
            if self._client.is_connected:
                await self._client.flush(timeout=CONNECT_S)
        with contextlib.suppress(Error, OSError, RuntimeError):  # the last is uvloop's where the line is just lost
            await self._client.close()

    async def _send(self) -> None:
        from nats.errors import Error

        while True:
            subject, data = await self._waiting.get()
            with contextlib.suppress(Error, OSError):  # lost, which the other end sees by the numbers
                await self._client.publish(subject, data)
            self._waiting.task_done()


def _servers(url: str) -> list[str]:
    servers = url.split(",")
    for server in servers:
        scheme, _, place = server.partition("://")
        if scheme not in ("nats", "tls") or not place:
            raise BusError(f"{server!r} is not the address of a bus; write nats://HOST:4222 or unix:FOLDER")
    return servers


async def _failed(error: Exception) -> None:
    log.debug("the bus: %s", error)  # each try to connect again; what matters is said below


async def _reconnected() -> None:
    log.warning("the bus is there again")
