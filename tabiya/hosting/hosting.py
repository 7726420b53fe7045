"""The programs of bots, run by their server: examined when they are handed in, then in turn, some at a time.

    hosting = ProgramHosting(folder, walls)
    hosting.serve(server)       # on the server's event loop
    await hosting.close()

A turn is some games against whoever seeks one, as any bot plays; then another program has its turn.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tabiya.check.scenario import ScenarioResult
from tabiya.classroom.bot_processes import environment_of, walled
from tabiya.classroom.check_submissions import examine
from tabiya.classroom.record import Entry
from tabiya.hosting.prepared import Report, prepare, printed_in, rules_for
from tabiya.hosting.turns import MOST_FAILURES, next_programs
from tabiya.hosting.upload import UploadRefused, read_upload
from tabiya.processes.programs import own_group, signal_group
from tabiya.server.app import TabiyaServer
from tabiya.server.hosting import ProgramRefused
from tabiya.storage.errors import StoreError
from tabiya.storage.program_records import NewProgram, ProgramId, ProgramRecord
from tabiya.storage.records import BotRecord

log = logging.getLogger("tabiya.hosting")

AT_ONCE = 2  # programs that run
GAMES = 4  # of a turn
LOOK_S = 2.0
LONELY_S = 30.0  # without a game, after which a turn ends
STOP_S = 5.0


@dataclass(slots=True)
class _Turn:
    """A program that runs. played_s: when it last had a game, on the loop's clock."""

    program: ProgramRecord
    process: asyncio.subprocess.Process
    log: Path
    played_s: float
    has_played: bool = False


class ProgramHosting:
    """Examines and runs programs for one server."""

    def __init__(self, folder: Path, walls: str, *, at_once: int = AT_ONCE, start: str = "") -> None:
        """folder: for files and logs.  walls: around every program (sandbox/wanted.py).  start: a first program."""
        self.start = start
        self._folder, self._walls, self._at_once = folder, walls, at_once
        self._programs: dict[ProgramId, ProgramRecord] = {}  # those that play or wait to be examined
        self._entries: dict[ProgramId, Entry] = {}
        self._turns, self._failures = Counter[ProgramId](), Counter[ProgramId]()
        self._last_words: dict[ProgramId, str] = {}
        self._progress: dict[ProgramId, str] = {}  # of examinations
        self._running: dict[ProgramId, _Turn] = {}
        self._examinations: dict[ProgramId, asyncio.Task[None]] = {}
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def serve(self, server: TabiyaServer) -> None:
        """Begin, for a server that has started."""
        self._server = server
        (self._folder / "logs").mkdir(parents=True, exist_ok=True)
        self._task = asyncio.create_task(self._run(), name="hosted programs")

    # --- what the server asks

    async def hand_in(self, bot: BotRecord, game: str, file_name: str, data: bytes) -> ProgramRecord:
        """Keep a program as the bot's next version and examine it; it plays if it passes. Raises ProgramRefused."""
        try:
            upload = await asyncio.to_thread(read_upload, file_name, data)
        except UploadRefused as error:
            raise ProgramRefused(str(error)) from None
        program = await self._server.store.add_program(
            NewProgram(
                bot_id=bot.id,
                game=game,
                digest=upload.digest,
                file_name=file_name,
                archive=upload.archive,
                created_at=time.time(),
            )
        )
        self._programs[program.id] = program
        self._failures[program.id] = 0
        self._wake.set()
        return program

    async def use(self, bot: BotRecord, program: ProgramRecord | None) -> None:
        """Let this version play from now on, or none."""
        await self._server.store.use_program(bot.id, program.id if program else None)
        await self._load()
        if program is not None:
            self._failures[program.id] = 0
        self._wake.set()

    async def reload(self) -> None:
        """Look anew at which programs may play, as operators have changed that."""
        await self._load()
        self._wake.set()

    def doing(self, program: ProgramRecord) -> str:
        """What happens to a version now, in a few words; "" for nothing."""
        if program.id in self._examinations:
            return f"is being examined: {self._progress.get(program.id, 'it starts')}"
        if program.state == "new":
            return "waits to be examined"
        if not program.in_use or program.state != "good":
            return ""
        if self._failures[program.id] >= MOST_FAILURES:
            return f"set aside after {MOST_FAILURES} failures: {self._last_words.get(program.id, '')}"
        if program.id in self._running:
            return "plays"
        return "waits until its bot is connected from nowhere else" if self._is_busy(program) else "waits for its turn"

    async def close(self) -> None:
        """End all programs."""
        tasks = [*([self._task] if self._task else []), *self._examinations.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(_end(turn.process) for turn in self._running.values()))
        self._running.clear()

    # --- the rounds

    async def _run(self) -> None:
        await self._load()
        while True:
            try:
                await self._round()
            except (OSError, StoreError) as error:
                log.error("hosted programs: %s", error)
            except Exception:  # the programs of all others go on
                log.exception("hosted programs: an error of ours")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await self._wake.wait()
            self._wake.clear()

    async def _load(self) -> None:
        found, rules = await self._server.store.open_programs(), self._server.program_rules
        self._programs = {program.id: program for program in found if not rules.is_disabled(program.bot_id)}

    async def _round(self) -> None:
        """Look at what runs, start what is next, examine what is new."""
        for turn in tuple(self._running.values()):
            await self._look(turn)
        for program in [each for each in self._programs.values() if each.state == "new"]:
            if program.id not in self._examinations and len(self._examinations) < self._at_once:
                self._begin_examination(program)
        free = self._at_once - len(self._running)
        able = [program for program in self._programs.values() if not self._is_busy(program)]
        for program in next_programs(able, self._running, self._turns, self._failures, free):
            await self._start(program)

    def _is_busy(self, program: ProgramRecord) -> bool:
        """Whether its bot is connected by another version or from elsewhere: a bot has one connection."""
        return program.id not in self._running and self._server.dispatcher.sessions.by_bot(program.bot_id) is not None

    def _begin_examination(self, program: ProgramRecord) -> None:
        task = asyncio.create_task(self._examine(program), name=f"examine program {program.id}")
        self._examinations[program.id] = task

        def ended(task: asyncio.Task[None]) -> None:
            del self._examinations[program.id]
            self._progress.pop(program.id, None)
            self._wake.set()
            if not task.cancelled() and (error := task.exception()) is not None:
                log.error("program %d could not be examined", program.id, exc_info=error)

        task.add_done_callback(ended)

    async def _examine(self, program: ProgramRecord) -> None:
        report = await self._examination(program)
        store = self._server.store
        await store.keep_examination(program.id, "refused" if report.problem else "good", report.text())
        if not report.problem:
            await store.use_program(program.bot_id, program.id)
        await self._load()

    async def _examination(self, program: ProgramRecord) -> Report:
        try:
            entry = await self._entry(program)
        except ProgramRefused as error:
            return Report(problem=str(error))

        def progress(result: ScenarioResult, done: int, total: int) -> None:
            self._progress[program.id] = f"{done} of {total}"

        report = await examine(entry, rules_for(program.game, self._walls), self._folder, progress)
        printed = printed_in(report, (self._folder / entry.folder).resolve())
        return Report(entry.grade, entry.lost, entry.problem, printed)

    async def _entry(self, program: ProgramRecord) -> Entry:
        """The version on disk, with a token of its bot. Raises ProgramRefused."""
        if program.id not in self._entries:
            store = self._server.store
            bot, archive = await store.bot(program.bot_id), await store.program_files(program.id)
            if bot is None or archive is None:
                raise ProgramRefused("its files are not there any more")
            entry = await asyncio.to_thread(prepare, program, bot.name, archive, self._folder)
            entry.token = self._server.accounts.lend(bot)
            self._entries[program.id] = entry
        return self._entries[program.id]

    # --- a turn

    async def _start(self, program: ProgramRecord) -> None:
        try:
            entry = await self._entry(program)
        except ProgramRefused as error:
            self._failed(program, str(error))
            return
        rules, folder = rules_for(program.game, self._walls), (self._folder / entry.folder).resolve()
        address = self._server.websocket_url
        told = ("--server", address, "--name", entry.name, "--bot-version", entry.digest, "--matches", str(GAMES))
        logged = self._folder / "logs" / f"{program.id}.log"
        with logged.open("wb") as output:
            process = await asyncio.create_subprocess_exec(
                *walled(entry, rules, folder),
                *told,
                cwd=folder,
                env=environment_of(entry, address, self._walls),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                **own_group(),
            )
        self._turns[program.id] += 1
        self._running[program.id] = _Turn(program, process, logged, asyncio.get_running_loop().time())

    async def _look(self, turn: _Turn) -> None:
        """End a turn that is over, one in which nobody wants to play, and that of a version which is no longer used."""
        now_s, status = asyncio.get_running_loop().time(), turn.process.returncode
        plays = bool(self._server.dispatcher.runner.matches_of(turn.program.bot_id))
        if plays:
            turn.played_s, turn.has_played = now_s, True
        is_wanted = turn.program.id in self._programs and now_s <= turn.played_s + LONELY_S
        if status is None and (plays or is_wanted):
            return
        del self._running[turn.program.id]
        if status is None:
            await _end(turn.process)
        elif status != 0:
            self._failed(turn.program, _last_words(turn.log))
            return
        if turn.has_played:
            self._failures[turn.program.id] = 0

    def _failed(self, program: ProgramRecord, words: str) -> None:
        self._failures[program.id] += 1
        self._last_words[program.id] = words
        log.warning("program %d of bot %d failed: %s", program.number, program.bot_id, words)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Ask it and what it has started to end; kill what does not."""
    signal_group(process.pid, hard=False)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(STOP_S):
            await process.wait()
    signal_group(process.pid, hard=True)
    await process.wait()


def _last_words(path: Path) -> str:
    with contextlib.suppress(OSError):
        lines = path.read_bytes()[-2_000:].decode(errors="replace").strip().splitlines()
        return lines[-1].strip()[:200] if lines else ""
    return ""
