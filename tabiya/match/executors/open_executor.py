"""From an address to an executor.

executor = await open_executor("4")                 # "" here, "4" in four processes, "dask://host:8786" on a cluster
...
await executor.close()
"""

from __future__ import annotations

import os

from tabiya.dask_cluster.connect import DASK, connect
from tabiya.match.executors.executor import Executor, LocalExecutor

MOST_PROCESSES = 1024


def check_address(text: str) -> None:
    """Whether an executor can be asked for by this text. Raises ValueError, one sentence."""
    if not text or text.startswith(DASK):
        return
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= MOST_PROCESSES):
        raise ValueError(
            f"workers are a number of processes of this machine, 1 to {MOST_PROCESSES}, or the scheduler of a Dask "
            f"cluster as {DASK}HOST:PORT, not {text!r}"
        )


async def open_executor(text: str) -> Executor:
    """The executor of an address. Raises ValueError for what is none, WorkerError where nobody answers."""
    check_address(text)
    if text.startswith(DASK):
        client = await connect(text)
        from tabiya.match.executors.dask import DaskExecutor

        return DaskExecutor(text, client)
    if text:
        from tabiya.match.executors.processes import ProcessExecutor

        return ProcessExecutor(int(text))
    return LocalExecutor(max(1, (os.cpu_count() or 2) // 2))
