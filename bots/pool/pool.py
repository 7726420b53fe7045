"""`WorkerPool`: several workers; each match stays with one as long as it lives; every question is answered in time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from random import Random

from tabiya.bots.players.api import ThinkMatch, ThinkRequest, Thought
from tabiya.bots.pool.emergency_move import quick_move
from tabiya.bots.pool.errors import WorkerLost
from tabiya.bots.pool.frames import USUAL_FACTORY, Start
from tabiya.bots.pool.process import READY_S
from tabiya.bots.pool.supervisor import Hours, Slot
from tabiya.bots.pool.time_limits import Allowance

MOST_ATTEMPTS = 2  # a question that has cost two workers their lives is not put to a third


class WorkerPool:
    """Workers that think about questions of many matches.

    player: as the factory understands it, usually the PLAYER grammar of the command line.  workers: processes.
    threads: of each player, for those that use several.  games: warmed up before `start` returns.
    report: is told what goes wrong.  factory: `module:function` that builds a player in the worker.
    path: folders that the workers search for modules first.  ready_s: after so many seconds for each game, a worker
    that is not warm is killed.
    """

    def __init__(
        self,
        player: str,
        *,
        workers: int = 1,
        threads: int = 1,
        games: tuple[str, ...] = (),
        report: Callable[[str], None],
        factory: str = USUAL_FACTORY,
        path: tuple[str, ...] = (),
        random: Random | None = None,
        ready_s: float = READY_S,
    ) -> None:
        if workers < 1 or threads < 1:
            raise ValueError(f"a pool has at least one worker with one thread, not {workers} and {threads}")
        order = Start(player=player, threads=threads, games=games, factory=factory, path=path)
        self._report = report
        self._slots = [Slot(order, report, random or Random(), ready_s) for _ in range(workers)]
        self._thoughts: set[asyncio.Task[Thought]] = set()

    @property
    def pids(self) -> tuple[int, ...]:
        """The ids of the processes that are up."""
        return tuple(slot.pid for slot in self._slots if slot.pid is not None)

    async def start(self) -> None:
        """Start all workers and wait until they are warm.  Raises WorkerError.

        The first one starts alone: what it compiles the others then find in the cache.
        """
        try:
            await self._slots[0].start()
            await _all([asyncio.create_task(slot.start()) for slot in self._slots[1:]])
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """End all workers."""
        for thought in self._thoughts:
            thought.cancel()
        await asyncio.gather(*self._thoughts, return_exceptions=True)
        await asyncio.gather(*(slot.close() for slot in self._slots))

    async def forget(self, match: int) -> None:
        """A match is over: its player is free for another."""
        for slot in self._slots:
            if match in slot.matches:
                await slot.forget(match)

    async def think(self, match: ThinkMatch, request: ThinkRequest, allowance: Allowance) -> Thought:
        """A move, within `allowance.answer_s` in any case.  Raises PlayerFailed when the player itself has failed.

        A worker that dies or hangs is replaced, and asked again while there is time; after that some legal move is
        the answer. Cancelling stops the thought.
        """
        stop = asyncio.Event()
        thought = asyncio.create_task(self._think(match, request, allowance, stop))
        self._thoughts.add(thought)
        thought.add_done_callback(self._settled)
        try:
            done, _ = await asyncio.wait([thought], timeout=allowance.answer_s)
        except asyncio.CancelledError:
            stop.set()
            raise
        if done:
            return thought.result()
        stop.set()
        return self._quick(request, "no answer in time")

    async def _think(
        self, match: ThinkMatch, request: ThinkRequest, allowance: Allowance, stop: asyncio.Event
    ) -> Thought:
        """Asks a second time after a lost worker, with half of the time that is left then."""
        loop = asyncio.get_running_loop()
        asked = loop.time()
        hours, why = Hours(asked, asked + allowance.think_s), ""
        for _ in range(MOST_ATTEMPTS):
            try:
                return await self._slot_of(match.match).think(match, request, hours, allowance.grace_s, stop)
            except WorkerLost as lost:
                if stop.is_set():
                    raise
                why = str(lost)
            now = loop.time()
            hours = Hours(asked, now + (asked + allowance.answer_s - now) / 2)
        return self._quick(request, why)

    def _quick(self, request: ThinkRequest, why: str) -> Thought:
        self._report(f"match {request.match}, ply {request.ply}: {why}; a legal move is played by lot")
        return quick_move(request, why)

    def _slot_of(self, match: int) -> Slot:
        """The match's own; another, from now on, while its own has no worker and another has."""
        own = next((slot for slot in self._slots if match in slot.matches), None)
        best = min(self._slots, key=lambda slot: (not slot.has_worker, len(slot.matches)))
        if own is not None:
            if own.has_worker or not best.has_worker:
                return own
            own.matches.discard(match)
        best.matches.add(match)
        return best

    def _settled(self, thought: asyncio.Task[Thought]) -> None:
        self._thoughts.discard(thought)
        if not thought.cancelled():
            thought.exception()  # its failure was for who asked; nobody may be waiting any more


async def _all(tasks: list[asyncio.Task[None]]) -> None:
    """Wait until all are done; the first failure ends the others, too."""
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
