"""What runs in a worker of Dask: pairs, each in one of the worker's threads, all at tables of one event loop.

That loop has a thread of its own, which ends with the worker's process, and the players' processes with it.
"""

from __future__ import annotations

import asyncio
import functools
import threading
from pathlib import Path

from distributed import get_worker

from tabiya.dask_cluster.build_id import build_id, difference
from tabiya.dask_cluster.player_files import FOLDER
from tabiya.match.executors.task import pack_answer, played_task
from tabiya.match.pairs import Answer, PairPlayer


class _TableLoop:
    """The event loop of this process with its tables."""

    def __init__(self, at_once: int) -> None:
        self.player = PairPlayer(at_once)
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="tabiya tables", daemon=True).start()

    def play(self, task: bytes, folder: Path) -> bytes:
        """Called in any thread: play a pair there."""
        return asyncio.run_coroutine_threadsafe(played_task(self.player, task, folder), self._loop).result()


_starting = threading.Lock()


@functools.cache
def _table_loop(at_once: int) -> _TableLoop:
    return _TableLoop(at_once)


def play_on_worker(tabiya: str, task: bytes) -> tuple[str, bytes]:
    """A task of Dask: who has played the pair, and the packed answer. tabiya: what runs where the pair comes from."""
    worker = get_worker()
    if why := difference(worker.address, build_id(), tabiya):
        return worker.address, pack_answer(Answer(None, why))
    with _starting:
        loop = _table_loop(worker.state.nthreads)
    return worker.address, loop.play(task, Path(worker.local_directory) / FOLDER)
