"""Handlers for workers: requests for a program, heartbeats, reports."""

from __future__ import annotations

from aiohttp import web
from msgspec.structs import asdict

from tabiya.server.hosting import Hosting, Wait, WorkerRefused, WorkerState
from tabiya.server.web.http.json_responses import NO_CACHE, ApiCall, HttpError, not_found, number_in_path
from tabiya.server.web.http.server_facade import ServerFacade
from tabiya.server.web.schemas.worker_messages import (
    Heartbeat,
    HeartbeatAnswer,
    ProgramToRun,
    ReportAnswer,
    WorkerAnswer,
    WorkerLine,
    WorkerReport,
    Workers,
)
from tabiya.storage.program_records import ProgramId, Usage

COUNTED, TOO_LATE = "it is kept", "it came too late or for the second time, and has changed nothing"


class WorkerHandlers:
    """The handlers for workers. Access has been checked (routes.py)."""

    def __init__(self, facade: ServerFacade) -> None:
        self._facade = facade

    async def ask_for_work(self, call: ApiCall) -> WorkerAnswer:
        """The next program for a worker, or the time of its next request."""
        hosting = self._hosting
        try:
            found = await hosting.ask(WorkerState(**asdict(call.body)))
        except WorkerRefused as error:
            raise HttpError(409, str(error)) from None
        return WorkerAnswer(
            work=None if isinstance(found, Wait) else ProgramToRun(**asdict(found)),
            again_s=found.seconds if isinstance(found, Wait) else 0.0,
            why=found.why if isinstance(found, Wait) else "",
            lease_s=hosting.lease_s,
            heartbeat_s=hosting.heartbeat_s,
        )

    async def program_files(self, call: ApiCall) -> web.Response:
        """The files of a program, as a zip."""
        number = number_in_path(call.request, "program", "program")
        data = await self._facade.store.program_files(ProgramId(number))
        if data is None:
            not_found("program", number)
        return web.Response(body=data, content_type="application/zip", headers=NO_CACHE)

    async def heartbeat(self, call: ApiCall) -> HeartbeatAnswer:
        """A worker's sign of life; the answer names programs to end."""
        beat: Heartbeat = call.body
        held = tuple((ProgramId(each.program), each.fence) for each in beat.held)
        progress = {ProgramId(each.program): each.progress for each in beat.held if each.progress}
        answer = await self._hosting.heartbeat(held, progress)
        return HeartbeatAnswer(lost=answer.lost, stop=answer.stop)

    async def report(self, call: ApiCall) -> ReportAnswer:
        """The result of a program; counted once, and only from its worker."""
        report: WorkerReport = call.body
        used = None if report.cpu_s is None else Usage(report.cpu_s, report.peak_mb)
        try:
            counted = await self._hosting.report(
                ProgramId(report.program), report.fence, report.outcome, report.text, used
            )
        except WorkerRefused as error:
            raise HttpError(409, str(error)) from None
        return ReportAnswer(counted=counted, detail=COUNTED if counted else TOO_LATE)

    async def workers(self, call: ApiCall) -> Workers:
        """The workers with recent requests; none on a server without programs."""
        hosting = self._facade.hosting
        return Workers(
            workers=tuple(
                WorkerLine(
                    name=seen.state.name,
                    version=seen.state.version,
                    cores=seen.state.cores,
                    memory_mb=seen.state.memory_mb,
                    sandbox=seen.state.sandbox,
                    at_once=seen.state.at_once,
                    programs=seen.holds,
                    seen_at=seen.seen_at,
                )
                for seen in (hosting.workers() if hosting else ())
            )
        )

    @property
    def _hosting(self) -> Hosting:
        if self._facade.hosting is None:
            raise HttpError(503, "this server runs no uploaded programs; it must be started with --hosted")
        return self._facade.hosting
