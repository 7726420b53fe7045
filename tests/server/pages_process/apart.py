"""A server on PostgreSQL, and processes that show its pages with a role that may only read."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

from tabiya.server.config import ServerConfig
from tabiya.server.pages_process.process import PagesProcess
from tests.live import eventually
from tests.server.web.web_server import WebServer, web_server
from tests.storage.postgres import Cluster

READER = "reader"


def made(cluster: Cluster, name: str) -> str:
    """A new database, whose tables the role READER may only read; its address for the server."""
    address = cluster.create(name)
    grant = "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO reader"
    cluster.sql(f"REVOKE CREATE ON SCHEMA public FROM PUBLIC; {grant}", name)
    return address


def serving(database: str, **config: Any) -> contextlib.AbstractAsyncContextManager[WebServer]:
    """A server in the loop of the test. config: fields of ServerConfig."""
    return web_server(database_url=database, **config)


@contextlib.asynccontextmanager
async def pages_of(
    database: str, *live: str, until_reported: bool = True, **config: Any
) -> AsyncIterator[PagesProcess]:
    """Pages over a database, in the loop of the test. until_reported: whether to wait until the server is."""
    settings: dict[str, Any] = {"pages_port": 0, "database_url": database} | config
    process = PagesProcess(ServerConfig(**settings), live)
    await process.start()
    try:
        if until_reported:
            await eventually(lambda: not process.mirror.trouble)
        yield process
    finally:
        await process.stop()
