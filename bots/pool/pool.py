"""`WorkerPool`: several workers; each match stays with one as long as it lives; one that is gone is replaced."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Protocol

from tabiya.bots.client.failure import ProgramFailure
from tabiya.bots.players.api import MatchInfo, MoveReply, MoveRequest
from tabiya.bots.players.spec import PlayerKind, parse_player
from tabiya.bots.pool.emergency_move import emergency_move
from tabiya.bots.pool.errors import OutOfTime, PlayerFailed, WorkerLost
from tabiya.bots.pool.frames import DEFAULT_FACTORY, READY_S, Start
from tabiya.bots.pool.local_process import RunningProcess
from tabiya.bots.pool.sandbox import Sandbox, SandboxedProgram
from tabiya.bots.pool.spare_workers import SpareWorkers
from tabiya.bots.pool.supervisor import Deadline, WorkerSupervisor
from tabiya.bots.pool.time_limits import MoveTimeLimits

MOST_ATTEMPTS = 2  # a question that has cost two workers their lives is not put to a third


class RemoteLauncher(Protocol):
    """Other machines, where workers are started."""

    async def launch(self, start_frame: Start) -> tuple[RunningProcess, Start]:
        """See `Launch`."""

    async def close(self) -> None:
        """Wait until all that are ending have ended."""


class WorkerPool:
    """Workers that think about questions of many matches.

    player: as the factory understands it, usually the PLAYER grammar of the command line.  workers: processes.
    threads: of each player, for those that use several.  games: warmed up before `start` returns.
    report: is told what goes wrong.  factory: `module:function` that builds a player in the worker.
    emergency_moves: whether some legal move is played where the player has none in time; else its clock runs out.
    path: folders that the workers search for modules first.  ready_s: after so many seconds for each game, a worker
    that is not warm is killed.  sandbox: what is put around each worker; a player of ours needs none.
    spares: workers of pools before, and where these are left.  remote: where the workers are started; one more is
    then kept warm on this machine, and thinks while none of them is there.
    """

    def __init__(
        self,
        player: str,
        *,
        workers: int = 1,
        threads: int = 1,
        games: tuple[str, ...] = (),
        report: Callable[[str], None],
        factory: str = DEFAULT_FACTORY,
        path: tuple[str, ...] = (),
        emergency_moves: bool = False,
        random: Random | None = None,
        ready_s: float = READY_S,
        sandbox: Sandbox | None = None,
        spares: SpareWorkers | None = None,
        remote: RemoteLauncher | None = None,
    ) -> None:
        if workers < 1 or threads < 1:
            raise ValueError(f"a pool has at least one worker with one thread, not {workers} and {threads}")
        start_frame = Start(player=player, threads=threads, games=games, factory=factory, path=path, ready_s=ready_s)
        self._report, self._emergency_moves = report, emergency_moves
        supervisor = partial(
            WorkerSupervisor, start_frame, report, random or Random(), _sandboxed(player, sandbox), spares
        )
        launch = None if remote is None else remote.launch
        self._ready_s = ready_s
        self._remote, self._supervisors = remote, [supervisor(launch) for _ in range(workers)]
        self._reserve = None if remote is None else supervisor()
        if self._reserve is not None:
            self._supervisors.append(self._reserve)
        self._replies: set[asyncio.Task[MoveReply]] = set()

    @property
    def pids(self) -> tuple[int, ...]:
        """The ids of the processes that are up."""
        return tuple(supervisor.pid for supervisor in self._supervisors if supervisor.pid is not None)

    async def start(self) -> None:
        """Start all workers and wait until they are warm.  Raises WorkerError.

        The first one starts alone: what it compiles the others then find in the cache.
        """
        try:
            for sentence in await self._supervisors[0].start():
                self._report(sentence)
            await _all([asyncio.create_task(supervisor.start()) for supervisor in self._supervisors[1:]])
        except BaseException:
            await self.close()
            raise

    async def ready(self) -> None:
        """Wait until a worker is up, as long as one may take to start: the last match may have cost all of them."""
        never = asyncio.Event()
        waiting = [asyncio.create_task(supervisor.wait_for_worker(never)) for supervisor in self._supervisors]
        try:
            await asyncio.wait(waiting, timeout=self._ready_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()

    async def close(self) -> None:
        """End all workers."""
        for reply in self._replies:
            reply.cancel()
        await asyncio.gather(*self._replies, return_exceptions=True)
        await asyncio.gather(*(supervisor.close() for supervisor in self._supervisors))
        if self._remote is not None:
            await self._remote.close()

    async def forget(self, match: int) -> None:
        """A match is over: its player is free for another."""
        for supervisor in self._supervisors:  # all: it may have been with several
            await supervisor.forget(match)

    async def think(self, match: MatchInfo, request: MoveRequest, limits: MoveTimeLimits) -> MoveReply:
        """The player's move.  Raises PlayerFailed when it has failed, or has cost two workers their lives.

        A worker that dies or hangs is replaced, and asked again while there is time. If there is none left, this does
        not return until it is cancelled; with emergency moves, some legal move is the answer, within
        `limits.answer_s` in any case. Cancelling stops the thought.
        """
        stop = asyncio.Event()
        reply = asyncio.create_task(self._think(match, request, limits, stop))
        self._replies.add(reply)
        reply.add_done_callback(self._forget_reply)
        try:
            done, _ = await asyncio.wait([reply], timeout=limits.answer_s if self._emergency_moves else None)
        except asyncio.CancelledError:
            stop.set()
            raise
        if done:
            return reply.result()
        stop.set()
        return self._emergency_move(request, "no answer in time")

    async def _think(
        self, match: MatchInfo, request: MoveRequest, limits: MoveTimeLimits, stop: asyncio.Event
    ) -> MoveReply:
        """Ask again after a lost worker, with half of the time that is left; then ask the reserve."""
        loop = asyncio.get_running_loop()
        asked = loop.time()
        deadline, lost = Deadline(asked, asked + limits.think_s), WorkerLost()
        # a player that is only slow is killed when all of its time is over; a hung one before, if another is to answer
        grace_s = limits.grace_s + (0.0 if self._emergency_moves else limits.answer_s - limits.think_s)
        for attempt in range(MOST_ATTEMPTS + (self._reserve is not None)):
            supervisor = self._reserve if attempt == MOST_ATTEMPTS else self._supervisor_of(match.match)
            assert supervisor is not None
            try:
                return await supervisor.think(match, request, deadline, grace_s, stop)
            except WorkerLost as error:
                if stop.is_set():
                    raise
                lost = error
            now = loop.time()
            left_s = asked + limits.answer_s - now
            deadline = Deadline(asked, now + (left_s / 2 if self._emergency_moves else left_s))
        if self._emergency_moves:
            return self._emergency_move(request, str(lost))
        if isinstance(lost, OutOfTime):
            self._report(f"match {request.match}, ply {request.ply}: {lost}; its clock runs on")
            await stop.wait()  # the match ends by the clock, and then this is cancelled
        raise PlayerFailed(ProgramFailure(called="choose", error=f"its process has ended: {lost}"))

    def _emergency_move(self, request: MoveRequest, why: str) -> MoveReply:
        self._report(f"match {request.match}, ply {request.ply}: {why}; a legal move is played at random")
        return emergency_move(request, why)

    def _supervisor_of(self, match: int) -> WorkerSupervisor:
        """The match's own; another, from now on, while its own has no worker and another has, or is the reserve."""

        def rank(supervisor: WorkerSupervisor) -> tuple[bool, bool]:
            return not supervisor.has_worker, supervisor is self._reserve

        own = next((supervisor for supervisor in self._supervisors if match in supervisor.matches), None)
        best = min(self._supervisors, key=lambda supervisor: (*rank(supervisor), len(supervisor.matches)))
        if own is not None:
            if rank(own) <= rank(best):
                return own
            own.matches.discard(match)
        best.matches.add(match)
        return best

    def _forget_reply(self, reply: asyncio.Task[MoveReply]) -> None:
        self._replies.discard(reply)
        if not reply.cancelled():
            reply.exception()  # the caller has had its failure, or has gone


def _sandboxed(player: str, sandbox: Sandbox | None) -> Callable[[], SandboxedProgram | None]:
    """A function that makes the sandbox of one worker of this player."""
    if sandbox is None:
        return lambda: None
    spec = parse_player(player)
    if spec.kind is PlayerKind.FILE:
        return partial(sandbox.around, Path(spec.path).absolute().parent)
    if spec.command:
        return partial(sandbox.around, Path.cwd(), starts_programs=True)
    return lambda: None


async def _all(tasks: list[asyncio.Task[tuple[str, ...]]]) -> None:
    """Wait for all; the first failure cancels the others."""
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
