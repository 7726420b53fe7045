"""Starts the worker processes of a `WorkerPool` on a Dask cluster.

cluster = DaskLauncher("dask://10.0.0.1:8786", player_files("pvs:6"))
bot = make_bot("pvs:6", workers=4, remote=cluster)
"""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from typing import Any

from msgspec.structs import replace

from tabiya.bots.pool.errors import WorkerError
from tabiya.bots.pool.frames import Start
from tabiya.bots.pool.local_process import ByteSink
from tabiya.dask_cluster.build_id import build_id, difference
from tabiya.dask_cluster.connect import connect
from tabiya.dask_cluster.player_files import PlayerFiles
from tabiya.dask_cluster.silence import SILENCE_S

WORKER_WAIT_S = 10.0  # for a worker that plays a pair of a match to have room
ENDING_S = 2.0  # for the other end and the scheduler to be notified
LOST = (OSError, RuntimeError, KeyError)
"""What calls of an actor raise whose worker is gone, or has let go of it."""
FIRST = 1  # priority: before the pairs of a match that wait


class DaskLauncher:
    """The workers of a scheduler, as a `WorkerPool` asks for them. Each process has a connection of its own to it.

    So nothing is shared that could be lost: who starts a process in place of one that is gone begins again.
    """

    def __init__(self, address: str, files: PlayerFiles) -> None:
        """address: `dask://HOST:PORT`.  files: of the pool's player."""
        self._address, self._files = address, files
        self._ending = set[asyncio.Task[None]]()

    async def launch(self, start_frame: Start) -> tuple[RemoteProcess, Start]:
        """Start a process at the worker that has the fewest. Raises WorkerError."""
        client = await connect(self._address)
        try:
            actor = await self._placed(client)
            where, pid, player = await asyncio.wait_for(call(actor, "start"), SILENCE_S)
        except BaseException as error:
            await self._close(client)
            if isinstance(error, WorkerError) or not isinstance(error, Exception):
                raise
            why = str(error).partition("\n")[0] or type(error).__name__  # of another machine: it may be anything
            raise WorkerError(f"a worker at {self._address} was lost while it thought: {why}") from None
        return RemoteProcess(self, client, actor, where, pid), replace(start_frame, player=player)

    async def close(self) -> None:
        """Wait until all that are ending have ended."""
        await asyncio.gather(*self._ending)

    async def _placed(self, client: Any) -> Any:
        """An actor at a worker that the scheduler has chosen. Raises WorkerError."""
        from tabiya.dask_cluster.worker_actor import WorkerActor

        fit = await self._fit(client)
        key = f"tabiya-thinker-{uuid.uuid4().hex}"
        with client.as_current():  # an actor looks for it
            future = client.submit(
                WorkerActor, self._files, key=key, workers=fit, actor=True, pure=False, priority=FIRST
            )
            try:
                return await asyncio.wait_for(self._made(future), WORKER_WAIT_S)
            except TimeoutError:
                raise WorkerError(
                    f"none of {len(fit)} workers at {self._address} has room, after {WORKER_WAIT_S:g} s"
                ) from None

    async def _fit(self, client: Any) -> list[str]:
        """The workers that have the same Tabiya: a task of a module that it lacks ends a worker. Raises WorkerError."""
        answers = await asyncio.gather(*(self._unfitness(client, worker) for worker in await client.ncores()))
        fit = [worker for worker, why in answers if not why]
        if not fit:
            raise WorkerError(answers[0][1] if answers else f"there is no worker at {self._address}")
        return fit

    async def _unfitness(self, client: Any, worker: str) -> tuple[str, str]:
        """A worker, and why it cannot think for us; nothing if it can."""
        from tabiya.dask_cluster.worker_actor import remote_build_id

        asking = client.run(remote_build_id, workers=[worker], on_error="return")
        try:
            there = (await asyncio.wait_for(asking, SILENCE_S))[worker]
        except (OSError, KeyError, TimeoutError):
            return worker, f"the worker {worker} does not answer"
        if isinstance(there, Exception):
            return worker, f"the worker {worker} needs pip install 'tabiya[dask]': it says {there}"
        return worker, difference(worker, there, build_id())

    async def _made(self, future: Any) -> Any:
        from distributed.client import FutureCancelledError

        try:
            return await future
        except FutureCancelledError:  # to asyncio it would seem that we are cancelled
            raise WorkerError(f"the Dask scheduler at {self._address} is gone") from None
        except RuntimeError:
            raise WorkerError(
                f"the Dask scheduler at {self._address} needs the same version of Tabiya as this machine"
            ) from None

    def kill_in_background(self, client: Any, actor: Any) -> None:
        """Have a process killed, in the background, if it is still there."""
        ending = asyncio.create_task(self._end(client, actor))
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    async def _end(self, client: Any, actor: Any) -> None:
        with contextlib.suppress(*LOST, TimeoutError):
            await asyncio.wait_for(call(actor, "kill"), ENDING_S)
        await self._close(client)

    async def _close(self, client: Any) -> None:
        with contextlib.suppress(OSError, TimeoutError):
            await asyncio.wait_for(client.close(), ENDING_S)


class RemoteProcess:
    """A `RunningProcess` behind an actor; itself the sink of its input."""

    def __init__(self, cluster: DaskLauncher, client: Any, actor: Any, where: str, pid: int) -> None:
        self.pid, self.name = pid, f"{pid} at {where}"
        self.stdin: ByteSink = self
        self.stdout = asyncio.StreamReader()
        self.stderr: asyncio.StreamReader | None = None
        self.status = "still ending"
        self._cluster, self._client, self._actor = cluster, client, actor
        self._unsent, self._has_some = bytearray(), asyncio.Event()
        self._sending = asyncio.create_task(self._send())
        self._receiving = asyncio.create_task(self._receive())
        self._receiving.add_done_callback(self._over)
        self._closing: asyncio.Task[None] | None = None

    def write(self, data: bytes) -> None:
        """See `ByteSink.write`."""
        self._unsent += data
        self._has_some.set()

    async def drain(self) -> None:
        """Does nothing: callers that wait for an answer of another machine have their own time limits."""

    def close(self) -> None:
        """See `ByteSink.close`."""
        if self._closing is None and not self._receiving.done():
            self._closing = asyncio.create_task(self._say("end"))

    def kill(self) -> None:
        """See `RunningProcess.kill`."""
        self.status = "killed"
        self._receiving.cancel()

    def close_pipe(self, number: int) -> None:
        """See `RunningProcess.close_pipe`."""
        self.kill()

    async def wait(self) -> str:
        """See `RunningProcess.wait`."""
        await asyncio.wait([self._receiving])
        return self.status

    async def _send(self) -> None:
        while True:
            await self._has_some.wait()
            self._has_some.clear()
            data, self._unsent = bytes(self._unsent), bytearray()
            await self._say("write", data)

    async def _say(self, what: str, *more: bytes) -> None:
        with contextlib.suppress(*LOST):  # the reader notices it
            await call(self._actor, what, *more)

    async def _receive(self) -> None:
        try:
            while not isinstance(data := await asyncio.wait_for(call(self._actor, "read"), SILENCE_S), str):
                self.stdout.feed_data(data)
            self.status = data
        except TimeoutError:
            self.status = f"silent for {SILENCE_S:g} s"
        except LOST:
            self.status = "its worker of Dask is lost"

    def _over(self, receiving: asyncio.Task[None]) -> None:
        self.stdout.feed_eof()
        self._sending.cancel()
        self._cluster.kill_in_background(self._client, self._actor)


async def call(actor: Any, method: str, *given: bytes) -> Any:
    """The answer of an actor's method. Raises one of `LOST` if its worker is lost, and the method's own errors."""
    return await getattr(actor, method)(*given)
