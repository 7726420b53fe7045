"""The way between a worker and the server: requests and answers take time, are lost, come late, and come twice."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any, Protocol, TypeVar

from msgspec.structs import asdict

from scripts.long_runs.simulation.environment.loop import Process, SimulatedLoop
from scripts.long_runs.worker_days.oracle import Oracle
from tabiya.errors import UserError
from tabiya.hosting.leases import ProgramLeases
from tabiya.hosting.server_client import ANSWER_S, ServerAway
from tabiya.server.hosting import Wait, WorkerRefused, WorkerState
from tabiya.server.web.schemas.worker_messages import HeartbeatAnswer, ProgramToRun, WorkerAnswer
from tabiya.storage.errors import StoreError
from tabiya.storage.program_records import LeaseOutcome, ProgramId, Usage

T = TypeVar("T")
LOST, LATE, DOUBLED = 0.01, 0.01, 0.03
LATEST_LEASES = 3.0  # how late, in times of a lease


class Far(Protocol):
    """The other end: the running server and its leases, None while there is none."""

    loop: SimulatedLoop
    oracle: Oracle
    lease_s: float
    leases: ProgramLeases | None
    server: Process


class SimulatedServerClient:
    """A `ServerClient` of one worker. cut_until_s: nothing passes before."""

    def __init__(self, day: Far, process: Process, draw: Random) -> None:
        self._day, self._process, self._draw = day, process, draw
        self._loop = day.loop
        self.cut_until_s = 0.0

    async def ask(self, worker: WorkerState) -> WorkerAnswer:
        """Like `HttpServerClient`."""

        async def asked(leases: ProgramLeases) -> WorkerAnswer:
            found = await leases.ask(worker)
            times = (leases.lease_s, leases.heartbeat_s)
            if isinstance(found, Wait):
                return WorkerAnswer(again_s=found.seconds, why=found.why, lease_s=times[0], heartbeat_s=times[1])
            return WorkerAnswer(work=ProgramToRun(**asdict(found)), lease_s=times[0], heartbeat_s=times[1])

        return await self._request(asked)

    async def files(self, program: int) -> bytes:
        """Like `HttpServerClient`; the programs of the simulation have none."""
        return b""

    async def heartbeat(self, held: list[tuple[int, int, str]]) -> HeartbeatAnswer:
        """Like `HttpServerClient`."""

        async def beat(leases: ProgramLeases) -> HeartbeatAnswer:
            answer = await leases.heartbeat(tuple((ProgramId(program), fence) for program, fence, _ in held), {})
            return HeartbeatAnswer(lost=answer.lost, stop=answer.stop)

        return await self._request(beat)

    async def report(self, program: int, fence: int, outcome: LeaseOutcome, text: str, used: Usage | None) -> bool:
        """Like `HttpServerClient`."""

        async def report_to(leases: ProgramLeases) -> bool:
            counted = await leases.report(ProgramId(program), fence, outcome, text, used)
            self._day.oracle.answered((ProgramId(program), fence), outcome, counted=counted)
            return counted

        return await self._request(report_to)

    async def _request(self, question: Callable[[ProgramLeases], Awaitable[T]]) -> T:
        answer: asyncio.Future[T] = self._loop.create_future()
        self._send(question, answer)
        if self._draw.random() < DOUBLED:
            late_s = self._draw.random() * LATEST_LEASES * self._day.lease_s
            self._at(late_s, self._arrive, question, None)
        try:
            async with asyncio.timeout(ANSWER_S):
                return await answer
        except TimeoutError:
            raise ServerAway("the server has not answered") from None

    def _send(self, question: Callable[[ProgramLeases], Awaitable[T]], answer: asyncio.Future[T]) -> None:
        if self._is_lost():
            return
        late_s = self._draw.random() * (LATEST_LEASES * self._day.lease_s if self._draw.random() < LATE else 0.05)
        self._at(late_s, self._arrive, question, answer)

    def _is_lost(self) -> bool:
        return self._loop.time() < self.cut_until_s or self._draw.random() < LOST

    def _at(self, later_s: float, what: Callable[..., object], *args: Any) -> None:
        self._loop.call_in(self._loop.world, self._loop.time() + later_s, what, *args)

    def _arrive(self, question: Callable[[ProgramLeases], Awaitable[T]], answer: asyncio.Future[T] | None) -> None:
        leases, server = self._day.leases, self._day.server
        if leases is None or not server.alive:
            self._back(answer, None, ServerAway("nobody answers"))
            return
        with self._loop.acting(server):
            self._loop.create_task(self._handle(leases, question, answer))

    async def _handle(
        self, leases: ProgramLeases, question: Callable[[ProgramLeases], Awaitable[T]], answer: asyncio.Future[T] | None
    ) -> None:
        try:
            value = await question(leases)
        except StoreError as error:
            self._back(answer, None, ServerAway(str(error)))
        except WorkerRefused as error:
            self._back(answer, None, UserError(str(error)))
        else:
            self._back(answer, value, None)

    def _back(self, answer: asyncio.Future[T] | None, value: T | None, error: Exception | None) -> None:
        if answer is None or self._is_lost():
            return
        self._at(self._draw.random() * 0.05, self._loop.arrives, self._process, self, _settle, answer, value, error)


def _settle(answer: asyncio.Future[Any], value: Any, error: Exception | None) -> None:
    if answer.done():  # the worker has waited long enough
        return
    if error is None:
        answer.set_result(value)
    else:
        answer.set_exception(error)
