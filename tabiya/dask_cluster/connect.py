"""A connection to the scheduler of a Dask cluster. Nothing of Dask is imported before one is asked for."""

from __future__ import annotations

import logging
from typing import Any

from tabiya.bots.pool.errors import WorkerError

DASK = "dask://"
"""Begins the address of a cluster."""
CONNECT_S = 10.0
# Their log lines about lost connections; Tabiya prints one sentence instead.
LOGGERS = ("distributed", "distributed.client", "distributed.comm", "tornado.application")


async def connect(address: str) -> Any:
    """An asynchronous `distributed.Client`, which goes to workers directly; to be closed.

    address: `dask://HOST:PORT`, or with a protocol of Dask's as `dask://tls://HOST:PORT`. Raises WorkerError.
    """
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        raise WorkerError(
            f"workers at {address} need Dask, and {error.name} is not installed: pip install 'tabiya[dask]'"
        ) from None
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    place = address.removeprefix(DASK)
    scheduler = place if "://" in place else f"tcp://{place}"
    make_client: Any = Client  # which says that it is typed
    how = {"asynchronous": True, "set_as_default": False, "direct_to_workers": True}
    client = make_client(scheduler, timeout=CONNECT_S, **how)
    try:
        return await client
    except BaseException as error:
        await client.close()
        if not isinstance(error, OSError | ValueError):
            raise
        raise WorkerError(f"no Dask scheduler answers at {address}: {error}") from None
