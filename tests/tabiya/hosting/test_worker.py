"""A worker that is ended: nothing that it was given stays its own."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tabiya.hosting.server_client import ServerAway
from tabiya.hosting.worker import Worker, WorkerSettings
from tabiya.server.hosting import WorkerState
from tabiya.server.web.schemas.worker_messages import HeartbeatAnswer, ProgramToRun, WorkerAnswer
from tabiya.storage.program_records import LeaseOutcome, Usage

A_PROGRAM = ProgramToRun(
    program=7,
    fence=3,
    kind="play",
    game="nim",
    bot="ada",
    file_name="bot.py",
    digest="d",
    sha256="s",
    token="t",
    until_stopped=False,
)


class SlowServer:
    """A server whose answer to the first question waits until it is let go."""

    def __init__(self, answer: WorkerAnswer | ServerAway) -> None:
        self._answer = answer
        self.asked, self.withdraw_seeks = asyncio.Event(), asyncio.Event()
        self.reports = list[tuple[int, int, str]]()

    async def ask(self, worker: WorkerState) -> WorkerAnswer:
        self.asked.set()
        await self.withdraw_seeks.wait()
        if isinstance(self._answer, ServerAway):
            raise self._answer
        return self._answer

    async def files(self, program: int) -> bytes:
        raise AssertionError("a program was started that was to be handed back")

    async def heartbeat(self, held: list[tuple[int, int, str]]) -> HeartbeatAnswer:
        return HeartbeatAnswer(lost=(), stop=())

    async def report(self, program: int, fence: int, outcome: LeaseOutcome, text: str, used: Usage | None) -> bool:
        self.reports.append((program, fence, outcome))
        return True


@pytest.mark.parametrize(
    ("answer", "reports"),
    [
        (WorkerAnswer(work=A_PROGRAM, lease_s=30.0, heartbeat_s=5.0), [(7, 3, "stopped")]),
        (ServerAway("the server has gone"), []),
    ],
    ids=["a program", "no answer"],
)
async def test_a_program_that_comes_while_the_worker_ends_is_handed_back_at_once(
    tmp_path: Path, answer: WorkerAnswer | ServerAway, reports: list[tuple[int, int, str]]
) -> None:
    server = SlowServer(answer)
    worker = Worker(
        server, WorkerSettings("lab-1", "http://127.0.0.1", tmp_path, "none", 2, 8_000), lambda printed: None
    )
    working = asyncio.create_task(worker.run())
    await server.asked.wait()
    working.cancel()
    await asyncio.sleep(0)
    server.withdraw_seeks.set()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert server.reports == reports
