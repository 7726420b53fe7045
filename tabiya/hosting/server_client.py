"""A worker's requests to its server, by HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import msgspec
from msgspec.structs import asdict

from tabiya.api_client.api import Api, NoAnswer, Refused
from tabiya.errors import UserError
from tabiya.server.hosting import WorkerState
from tabiya.server.web.schemas.worker_messages import HeartbeatAnswer, ReportAnswer, WorkerAnswer
from tabiya.storage.program_records import LeaseOutcome, Usage

T = TypeVar("T")
R = TypeVar("R")
ANSWER_S = 10.0
NOT_FOR_LONG = frozenset({408, 429, 500, 502, 503, 504})  # answers after which the same can be asked again


class ServerAway(Exception):
    """The server does not answer, or cannot now; the text is one sentence."""


class HttpServerClient:
    """The requests. Each raises ServerAway if it can be repeated, and UserError if that would be useless."""

    def __init__(self, api: Api) -> None:
        self._api = api

    async def ask(self, worker: WorkerState) -> WorkerAnswer:
        """Fetch the next program, or when to ask again."""
        return await self._post("ask", asdict(worker), WorkerAnswer)

    async def files(self, program: int) -> bytes:
        """The files of a program, as a zip."""
        return await self._wait_for(lambda: b"".join(self._api.stream(f"/workers/programs/{program}/files")))

    async def heartbeat(self, held: Iterable[tuple[int, int, str]]) -> HeartbeatAnswer:
        """Report the programs that run, each with its fence and progress."""
        listed = [{"program": program, "fence": fence, "progress": progress} for program, fence, progress in held]
        return await self._post("heartbeat", {"held": listed}, HeartbeatAnswer)

    async def report(self, program: int, fence: int, outcome: LeaseOutcome, text: str, used: Usage | None) -> bool:
        """Report a program's result and use of resources; returns whether it was in time."""
        report = {"program": program, "fence": fence, "outcome": outcome, "text": text}
        measured = asdict(used) if used is not None else {}
        return (await self._post("report", report | measured, ReportAnswer)).counted

    async def _post(self, path: str, body: dict[str, Any], kind: type[R]) -> R:
        answer = await self._wait_for(lambda: self._api.post(f"/workers/{path}", body))
        try:
            return msgspec.convert(answer, kind)
        except msgspec.ValidationError as error:
            raise UserError(f"the server's answer cannot be understood: {error}") from None

    async def _wait_for(self, question: Callable[[], T]) -> T:
        try:
            async with asyncio.timeout(ANSWER_S):
                return await asyncio.to_thread(question)
        except TimeoutError:
            raise ServerAway(f"the server has not answered in {ANSWER_S:g} s") from None
        except NoAnswer as error:
            raise ServerAway(str(error)) from None
        except Refused as error:
            if error.code in NOT_FOR_LONG:
                raise ServerAway(str(error)) from None
            raise
