"""Workers in this process, which run programs in others."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from tabiya.api_client.api import with_token
from tabiya.api_client.settings import ClientSettings
from tabiya.hosting.server_client import HttpServerClient
from tabiya.hosting.worker import Worker, WorkerSettings
from tabiya.server.app import TabiyaServer


def a_worker(server: TabiyaServer, folder: Path, name: str) -> Worker:
    """A worker of a server of this process, whose programs run in no sandbox."""
    pages = f"http://127.0.0.1:{server.pages_port}"
    api = with_token(ClientSettings(pages), server.accounts.new_worker_token())
    return Worker(HttpServerClient(api), WorkerSettings(name, pages, folder, "none", 2, 8_000), lambda printed: None)


@contextlib.asynccontextmanager
async def at_work(worker: Worker) -> AsyncIterator[Worker]:
    """It works as long as the context lasts."""
    task = asyncio.create_task(worker.run())
    try:
        yield worker
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
