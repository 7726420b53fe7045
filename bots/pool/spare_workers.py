"""Warm idle workers, for the next player that differs from their last one only in its options."""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

from msgspec.structs import replace

from tabiya.bots.pool.errors import WorkerError
from tabiya.bots.pool.frames import Start
from tabiya.bots.pool.process import WorkerProcess

MOST_PLAYERS = 100  # that one process runs in turn: each leaves 70 KB of compiled code behind


class _Spare(NamedTuple):
    """kind: equal for workers that can run each other's player.  alarm: ends it after `idle_s`."""

    kind: Any
    worker: WorkerProcess
    alarm: asyncio.TimerHandle


class SpareWorkers:
    """The idle workers: a closing pool leaves its workers here, an opening one takes them.

    To start one costs a second of processor time, to make it another player a fiftieth of that. Belongs to one event
    loop; never for workers in a sandbox.
    """

    def __init__(self, most: int, idle_s: float) -> None:
        """most: how many are kept; those that were left first are ended.  idle_s: and for how long."""
        self._most, self._idle_s, self._spares = most, idle_s, list[_Spare]()
        self._closing = set[asyncio.Task[None]]()

    def leave(self, start_frame: Start, worker: WorkerProcess) -> bool:
        """Keep a worker if it can be used again; returns whether, for then its pool must not end it."""
        kind = _kind_of(start_frame)
        if kind is None or not worker.is_idle or worker.players >= MOST_PLAYERS:
            return False
        alarm = asyncio.get_running_loop().call_later(self._idle_s, self._end, worker)
        self._spares.append(_Spare(kind, worker, alarm))
        if len(self._spares) > self._most:
            self._end(self._spares[0].worker)
        return True

    async def take(self, start_frame: Start) -> WorkerProcess | None:
        """A spare worker that now runs this player; None if there is none. Raises WorkerError as a start does."""
        kind = _kind_of(start_frame)
        while worker := next((spare.worker for spare in self._spares if spare.kind == kind), None):
            self._forget(worker)
            try:
                await worker.become(start_frame)
                return worker
            except WorkerError as error:
                await worker.close()
                if error.failure is not None:  # the player's own; else the worker was gone
                    raise
        return None

    async def close(self) -> None:
        """End them all."""
        while self._spares:
            self._end(self._spares[-1].worker)
        await asyncio.gather(*self._closing)

    def _end(self, worker: WorkerProcess) -> None:
        self._forget(worker)
        closing = asyncio.create_task(worker.close())
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    def _forget(self, worker: WorkerProcess) -> None:
        for spare in [spare for spare in self._spares if spare.worker is worker]:
            spare.alarm.cancel()
            self._spares.remove(spare)


def _kind_of(start_frame: Start) -> Any:
    """Equal for workers that can run each other's player; None for a player without options."""
    program, mark, _ = start_frame.player.rpartition("?")
    return (program, replace(start_frame, player="")) if mark else None
