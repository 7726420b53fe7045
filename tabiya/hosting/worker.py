"""A worker: asks a server for programs, checks them or lets them play, in a sandbox, and reports the result.

    worker = Worker(HttpServerClient(api), settings, say)
    await worker.run()          # until it is cancelled

It may be killed at any moment. What it holds is then somebody else's as soon as the lease has run out; and a worker
that has not reached its server for so long ends its programs itself, because they may run elsewhere by then.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import os
import shutil
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, Protocol

from tabiya.check.scenario import ScenarioResult
from tabiya.classroom.bot_processes import environment_of, sandboxed_command
from tabiya.classroom.check_submissions import examine
from tabiya.classroom.record import Entry, ResourceUsage
from tabiya.errors import UserError
from tabiya.games.registry import names
from tabiya.hosting.prepared import Report, folder_of, prepare, printed_in, rules_for
from tabiya.hosting.server_client import ServerAway
from tabiya.processes.child_processes import ending_with_this_process
from tabiya.processes.failure_line import failure_line
from tabiya.processes.programs import own_group, signal_group
from tabiya.processes.usage import Meter, watched
from tabiya.server.hosting import ProgramRefused, Work, WorkerState
from tabiya.server.version import version
from tabiya.server.web.schemas.worker_messages import HeartbeatAnswer, WorkerAnswer
from tabiya.storage.program_records import LeaseOutcome, ProgramId, Usage

log = logging.getLogger("tabiya.worker")

GAMES = 4  # of a turn; a start costs a second of processor, so quick games go on ...
AT_LEAST_S = 3.0  # ... for so long
STOP_S = 5.0
AWAY_S, LONGEST_AWAY_S = 2.0, 30.0  # between two tries while the server is away, longer and longer
ERROR_PAUSE_S = 5.0  # until the next question after an error of this machine
FINAL_REPORT_TIMEOUT_S = 5.0  # to tell what is handed back
MOST_CACHED = 200  # files of programs


class ServerClient(Protocol):
    """The interface to the server (server_client.py)."""

    async def ask(self, worker: WorkerState) -> WorkerAnswer:
        """The next program, or when to ask again."""

    async def files(self, program: int) -> bytes:
        """The files of a program."""

    async def heartbeat(self, held: list[tuple[int, int, str]]) -> HeartbeatAnswer:
        """Report the programs that run, each with its fence and progress."""

    async def report(self, program: int, fence: int, outcome: LeaseOutcome, text: str, used: Usage | None) -> bool:
        """Report a program's result and its resource usage."""


class WorkerSettings(NamedTuple):
    """How a worker works. server: the address for its programs.  folder: for files and logs."""

    name: str
    server: str
    folder: Path
    sandbox: str
    at_once: int
    memory_mb: int


class MachineFailure(Exception):
    """Something is wrong with this machine or the way to the server, and nothing with the program."""


@dataclass(slots=True)
class _Running:
    """A program that this worker holds. renewed_s: when it was last told that it does."""

    work: Work
    renewed_s: float
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None
    progress: str = ""  # of an examination
    was_cut_off: bool = False  # the server could not be reached meanwhile
    usage: ResourceUsage = field(default_factory=ResourceUsage)

    @property
    def used(self) -> Usage | None:
        """The program's resource usage so far; None if it was not measured."""
        return Usage(self.usage.cpu_s, self.usage.peak_mb) if self.usage.peak_mb else None


class Worker:
    """See the module."""

    def __init__(self, client: ServerClient, settings: WorkerSettings, say: Callable[[str], None]) -> None:
        self._client, self._settings, self._say = client, settings, say
        self._running: dict[ProgramId, _Running] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._asking: asyncio.Task[float] | None = None
        self._lease_s, self._heartbeat_s = 30.0, 5.0  # until the server says it
        self._wake = asyncio.Event()
        self._pause_s = 0.0
        self._last_logged = ""
        self._draw = Random()
        for folder in ("logs", "files"):
            (settings.folder / folder).mkdir(parents=True, exist_ok=True)

    async def run(self) -> None:
        """Work until cancelled; then what runs is handed back. Raises UserError if the server wants no such worker."""
        beating = asyncio.create_task(self._beat(), name="heartbeat")
        try:
            await self._ask_loop()
        finally:
            beating.cancel()
            await self._release_programs()

    # --- asking

    async def _ask_loop(self) -> None:
        away = 0
        while True:
            self._wake.clear()
            wait_s, self._pause_s = self._pause_s, 0.0
            if not wait_s and self._has_room:
                try:
                    self._asking = asyncio.create_task(self._ask(), name="question")
                    wait_s, away = await asyncio.shield(self._asking), 0  # its answer may be a program: see _hand_back
                except ServerAway as error:
                    self._say_once(str(error))
                    wait_s = min(LONGEST_AWAY_S, AWAY_S * 2**away) * (1 + self._draw.random())
                    away += 1
            if wait_s or not self._has_room:
                await self._until_woken(wait_s or self._heartbeat_s)

    async def _until_woken(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wake.wait()

    @property
    def _has_room(self) -> bool:
        return len(self._running) < 2 * self._settings.at_once

    def _count(self, kind: str) -> int:
        return sum(running.work.kind == kind for running in self._running.values())

    async def _ask(self) -> float:
        """Ask once; seconds until the next question."""
        asked_s = asyncio.get_running_loop().time()
        answer = await self._client.ask(self._state())
        self._lease_s, self._heartbeat_s = answer.lease_s, answer.heartbeat_s
        if answer.work is None:
            self._say_once(f"nothing to do: {answer.why}")
            return answer.again_s
        given = answer.work
        work = Work(
            program=ProgramId(given.program),
            fence=given.fence,
            kind="examine" if given.kind == "examine" else "play",
            game=given.game,
            bot=given.bot,
            file_name=given.file_name,
            digest=given.digest,
            sha256=given.sha256,
            token=given.token,
            until_stopped=given.until_stopped,
        )
        self._say_once("at work")
        self._lose(work.program)  # an older lease of the same program has run out, or there would be no other
        running = self._running[work.program] = _Running(work, asked_s)
        running.task = asyncio.create_task(self._carry_out(running), name=f"program {work.program}")
        return 0.0

    def _state(self) -> WorkerState:
        settings = self._settings
        return WorkerState(
            name=settings.name,
            version=version(),
            cores=os.cpu_count() or 1,
            memory_mb=settings.memory_mb,
            sandbox=settings.sandbox,
            games=tuple(names()),
            at_once=settings.at_once,
            playing=self._count("play"),
            examining=self._count("examine"),
        )

    def _say_once(self, sentence: str) -> None:
        if sentence != self._last_logged:
            self._last_logged = sentence
            self._say(sentence)

    # --- living

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self._heartbeat_s)
            if not self._running:
                continue
            asked_s = asyncio.get_running_loop().time()
            held = dict(self._running)
            try:
                answer = await self._client.heartbeat(
                    [(program, each.work.fence, each.progress) for program, each in held.items()]
                )
            except (ServerAway, UserError) as error:
                self._say_once(str(error))
                self._cut_off()
                continue
            for program, running in held.items():
                if self._running.get(program) is not running:
                    continue
                if program in answer.lost:
                    self._lose(program)
                    continue
                running.renewed_s = asked_s
                if program in answer.stop:
                    running.stop.set()

    def _cut_off(self) -> None:
        """The server cannot be reached: end programs whose lease has run out."""
        now_s = asyncio.get_running_loop().time()
        for program, running in tuple(self._running.items()):
            running.was_cut_off = True
            if now_s > running.renewed_s + self._lease_s:
                self._lose(program)

    def _lose(self, program: ProgramId) -> None:
        """End a program without a report."""
        running = self._running.pop(program, None)
        if running is not None and running.task is not None:
            self._ending.add(running.task)
            running.task.add_done_callback(self._ending.discard)
            running.task.cancel()

    async def _release_programs(self) -> None:
        """End all programs and report that, if the server can be reached."""
        if self._asking is not None:
            await asyncio.wait((self._asking,), timeout=FINAL_REPORT_TIMEOUT_S)
            self._asking.cancel()
        held = tuple(self._running.values())
        tasks = [running.task for running in held if running.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, *self._ending, return_exceptions=True)
        with contextlib.suppress(ServerAway, UserError, TimeoutError):
            async with asyncio.timeout(FINAL_REPORT_TIMEOUT_S):
                for running in held:
                    await self._client.report(running.work.program, running.work.fence, "stopped", "", running.used)

    # --- one program

    async def _carry_out(self, running: _Running) -> None:
        work = running.work
        try:
            outcome, text = await self._outcome(running)
            await self._tell(running, outcome, text)
        finally:
            if self._running.get(work.program) is running:
                del self._running[work.program]
            shutil.rmtree(self._settings.folder / folder_of(work), ignore_errors=True)
            self._wake.set()

    async def _outcome(self, running: _Running) -> tuple[LeaseOutcome, str]:
        work = running.work
        try:
            archive = await self._files(work)
            try:
                entry = await asyncio.to_thread(prepare, work, archive, self._settings.folder)
            except ProgramRefused as error:
                refused = Report(problem=str(error)).text()
                return ("refused", refused) if work.kind == "examine" else ("failed", str(error))
            return await (self._examine(entry, running) if work.kind == "examine" else self._play(entry, running))
        except (ServerAway, MachineFailure, OSError, UserError) as error:
            self._say(f"program {work.program} is handed back: {error}")
        except Exception:  # the programs of all others go on
            about = {"program": work.program, "bot": work.bot}
            log.exception("program %d is handed back: an internal error", work.program, extra=about)
        self._pause_s = ERROR_PAUSE_S
        return "stopped", ""

    async def _tell(self, running: _Running, outcome: LeaseOutcome, text: str) -> None:
        """Report a program's result, repeated if needed while the lease lasts."""
        work = running.work
        while True:
            try:
                if not await self._client.report(work.program, work.fence, outcome, text, running.used):
                    self._say(f"the result of program {work.program} came too late and does not count")
                return
            except ServerAway as error:
                self._say_once(str(error))
            except UserError as error:
                self._say(f"the server does not accept the result of program {work.program}: {error}")
                return
            await asyncio.sleep(AWAY_S * (1 + self._draw.random()))

    async def _files(self, work: Work) -> bytes:
        """The files of a program: each is fetched once."""
        folder = self._settings.folder / "files"
        path = folder / work.sha256
        with contextlib.suppress(FileNotFoundError):
            return path.read_bytes()
        data = await self._client.files(work.program)
        if hashlib.sha256(data).hexdigest() != work.sha256:
            raise MachineFailure("its files were damaged on the way")
        oldest = sorted(folder.iterdir(), key=lambda file: file.stat().st_mtime)
        for file in oldest[: max(0, len(oldest) - MOST_CACHED + 1)]:
            file.unlink(missing_ok=True)
        path.write_bytes(data)
        return data

    async def _examine(self, entry: Entry, running: _Running) -> tuple[LeaseOutcome, str]:

        def progress(result: ScenarioResult, done: int, total: int) -> None:
            running.progress = f"{done} of {total}"

        settings = self._settings
        rules, own_client = rules_for(running.work.game, settings.sandbox), bool(entry.command)
        checked = await examine(entry, rules, settings.folder, progress, connection=own_client, usage=running.usage)
        printed = printed_in(checked, (settings.folder / entry.folder).resolve())
        report = Report(entry.grade, entry.lost, entry.problem, printed)
        return "refused" if report.problem else "good", report.text()

    async def _play(self, entry: Entry, running: _Running) -> tuple[LeaseOutcome, str]:
        """A turn of games, as long as the server lets it play."""
        work, settings = running.work, self._settings
        folder = (settings.folder / entry.folder).resolve()
        identity = ("--server", settings.server, "--name", entry.name, "--bot-version", entry.digest)
        some = ("--matches", str(GAMES), "--at-least", str(AT_LEAST_S))
        turn = ("--no-seek",) if work.until_stopped else some
        command = [*sandboxed_command(entry, rules_for(work.game, settings.sandbox), folder), *identity, *turn]
        logged = settings.folder / "logs" / f"{work.program}.log"
        with logged.open("wb") as output:
            process = await asyncio.create_subprocess_exec(
                *ending_with_this_process(command),
                cwd=folder,
                env=environment_of(entry, settings.server, settings.sandbox),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                **own_group(),
            )
        try:
            async with watched(Meter(running.usage), lambda: process.pid):
                await _first_of(process.wait(), running.stop.wait())
                status = process.returncode
        finally:
            await _end(process)
        if status is None:
            return "stopped", ""
        if status == 0:
            return "played", ""
        words = _failure_line(logged)
        if running.was_cut_off:
            raise MachineFailure(f"the server did not answer, and the program ended with: {words}")
        return "failed", words


async def _first_of(*waits: Coroutine[Any, Any, object]) -> None:
    """Wait until one of them is over."""
    tasks = [asyncio.ensure_future(each) for each in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()


async def _end(process: asyncio.subprocess.Process) -> None:
    """Ask the process and its children to end; kill those that do not."""
    signal_group(process.pid, hard=False)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(STOP_S):
            await process.wait()
    signal_group(process.pid, hard=True)
    await process.wait()


def _failure_line(path: Path) -> str:
    with contextlib.suppress(OSError):
        return failure_line(path.read_bytes()[-4_000:].decode(errors="replace").splitlines())
    return ""
