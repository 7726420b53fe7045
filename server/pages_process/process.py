"""The page process: it reads the database, follows the server's news, and writes nothing."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Sequence

from tabiya.server.config import ServerConfig
from tabiya.server.explorer import Explorer
from tabiya.server.pages_process.listener import ServerListener
from tabiya.server.pages_process.mirror import MirroredServer
from tabiya.server.ratings.anchors import read_anchors
from tabiya.server.standings import StandingsCache
from tabiya.server.transport.addresses import is_loopback_name
from tabiya.server.transport.listening import StartError, cannot_listen, host_in_url
from tabiya.server.web.app import WebApp
from tabiya.storage.errors import StoreError
from tabiya.storage.open import open_store
from tabiya.storage.store import Store

log = logging.getLogger("tabiya.pages")


class PagesProcess:
    """One such process: `await start()`, then it runs until `await stop()`."""

    store: Store
    mirror: MirroredServer
    pages_port: int  # once started

    def __init__(self, config: ServerConfig, live: Sequence[str], explorer: Explorer | None = None) -> None:
        """live: addresses of the pages of the server.  explorer: what searches for pages; closed with it."""
        self.config, self._live, self._explorer = config, live, explorer
        self._tasks: list[asyncio.Task[None]] = []
        self._web: WebApp | None = None

    async def start(self) -> None:
        """Open the database for reading, listen, and connect to the server. Raises StartError."""
        config = self.config
        try:
            self.store = await open_store(config.database_url, create=False, read_only=True)
        except StoreError as error:
            raise StartError(str(error)) from error
        try:
            await self._open_parts()
        except BaseException:
            await self.stop()
            raise
        log.info("pages of %s at %s", " or ".join(self._live), self.pages_url)

    async def _open_parts(self) -> None:
        config = self.config
        standings = StandingsCache(self.store, tuple(sorted(read_anchors(config.anchors).items())))
        self.mirror = MirroredServer(config, self.store, standings, self._live[0], self._explorer)
        if not is_loopback_name(config.host):
            self.mirror.allowed_hosts.learn_full_name()
        self._web = WebApp(self.mirror)
        try:
            await standings.show_last()
            self.pages_port = await self._web.start(config.host, config.pages_port)
        except StoreError as error:
            raise StartError(str(error)) from error
        except OSError as error:
            raise cannot_listen(error, config.host, config.pages_port) from error
        assert self._web.following is not None
        self.mirror.on_lost = self._web.following.interrupted
        self._web.load_rest()
        listener = ServerListener(self._live, self.mirror)
        self._tasks = [asyncio.create_task(listener.run()), asyncio.create_task(_prepare(standings))]

    @property
    def pages_url(self) -> str:
        return f"http://{host_in_url(self.config.host)}:{self.pages_port}"

    async def stop(self) -> None:
        """End all streams and close the database. May be called twice."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._web is not None:
            self.mirror.close()
            await self._web.stop()
        if self._explorer is not None:
            await self._explorer.close()
        await self.store.close()


async def _prepare(standings: StandingsCache) -> None:
    """Count the results before anybody asks."""
    with contextlib.suppress(StoreError):  # a later request gets the error
        await standings.prepare()
