"""The submitted programs as processes: each under its limits, watched, started again after a crash, ended by id."""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Container, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil

from tabiya.bots.players.spec import ADDRESS
from tabiya.classroom.record import Entry, ResourceUsage, Rules
from tabiya.processes.failure_line import failure_line
from tabiya.processes.programs import environment, exit_text, own_group, signal_group, with_address
from tabiya.processes.usage import Children, Meter, all_children, family
from tabiya.sandbox.option import SANDBOX_WORKS, SandboxOption

RESTARTS = 3  # of one program; after more crashes it stays away and is withdrawn
RESTART_AFTER_S = 2.0
STOP_S = 5.0  # to end in order, before it is killed
STARTING_S = 20.0  # how long a start counts as work for a core
CONNECT_TIMEOUT_S = 120.0  # to connect: an evaluation of its own may have to be compiled
RECONNECT_TIMEOUT_S = 60.0  # without a connection; longer than a program takes to be started again after a crash
POLL_S, POLL_EACH_S = 1.0, 0.02  # how often memory is measured, more seldom in a large class: it takes time, too
MOST_OPEN_FILES = 256
MOST_AT_ONCE = 4  # games of one program, as many as `tabiya check` plays with it
MEMORY_OF_OURS = 128  # MB of what connects a program in a sandbox
WAIT_FOR_SERVER_S = 60  # for a server that is being started again

Say = Callable[[str], None]


def command_of(entry: Entry, rules: Rules, folder: Path, server: str = "{url}") -> tuple[str, ...]:
    """The command line that connects an entry to a server; to be run in the entry's folder.

    server: its address; `{url}` to be filled in later.
    """
    options = ("--name", entry.name, "--bot-version", entry.digest, "--connect-timeout", str(WAIT_FOR_SERVER_S))
    if rules.sandbox != SandboxOption.NONE:
        more = ("--no-seek", "--concurrency", str(MOST_AT_ONCE))
        words = (*sandboxed_command(entry, rules, folder), "--server", server, *more, *options)
    elif entry.command:
        words = with_address(entry.command, server)
    else:
        words = (*_ours("tabiya"), "bot", _player(entry, folder), "--server", server, *options)
    if os.name == "nt":  # there are no such limits; only memory is watched
        return words
    limits = (str(os.getpid()), str(rules.file_mb), str(MOST_OPEN_FILES))
    return (*_ours("tabiya.processes.run_limited"), *limits, *words)


def sandboxed_command(entry: Entry, rules: Rules, folder: Path) -> tuple[str, ...]:
    """The command of our own client, which connects and runs the entry in a sandbox below it."""
    bounds = ("--sandbox", rules.sandbox, "--memory", str(rules.memory_mb), "--file-size", str(rules.file_mb))
    return (*_ours("tabiya"), "bot", _sandboxed_player(entry, folder), "--game", rules.game, *bounds)


def _ours(module: str) -> tuple[str, ...]:
    """The command line of one of our modules; -P: no file of the submission may hide one of our packages."""
    return (sys.executable, "-P", "-m", module)


def _sandboxed_player(entry: Entry, folder: Path) -> str:
    """The PLAYER of an entry; a command line becomes a program that gets its address in the sandbox."""
    if not entry.command:
        return _player(entry, folder)
    return f"program:{shlex.join(with_address(entry.command, ADDRESS))}"


def _player(entry: Entry, folder: Path) -> str:
    file, colon, name = entry.player.rpartition(":")
    return f"{folder / file}{colon}{name}" if file.endswith(".py") else entry.player


def environment_of(entry: Entry, server: str = "", sandbox: str = "") -> dict[str, str]:
    """The environment of an entry's program: ours without secrets, and its own account.

    sandbox: the one that has been tried here, so that not every program tries it again.
    """
    own = {"TABIYA_SERVER": server, "TABIYA_TOKEN": entry.token, "TABIYA_NAME": entry.name}
    ours = {"TABIYA_CONFIG": os.devnull, SANDBOX_WORKS: sandbox}
    return environment() | {name: value for name, value in (own | ours).items() if value}


class BotProcess:
    """One entry's process, and what it starts itself."""

    def __init__(self, entry: Entry, rules: Rules, into: Path, server: str, usage: ResourceUsage) -> None:
        """usage: is kept up to date."""
        self.entry, self.usage = entry, usage
        self._rules, self._into, self._server = rules, into, server
        self._process: subprocess.Popen[bytes] | None = None
        self._starts, self._start_at_s = 0, 0.0
        self._meter = Meter(usage)
        self._first_start_s = self._last_seen_s = 0.0
        self.has_come = False
        """Whether it has ever been connected."""

    @property
    def is_started(self) -> bool:
        """Whether it has been started at all."""
        return self._starts > 0

    def is_starting(self, now_s: float) -> bool:
        """Whether it is probably still loading its modules."""
        return self.is_started and not self.has_come and not self.gone and now_s < self._first_start_s + STARTING_S

    def is_away(self, now_s: float) -> bool:
        """Whether to stop waiting for it."""
        patience_s = RECONNECT_TIMEOUT_S if self.has_come else CONNECT_TIMEOUT_S
        return self.gone or (self.is_started and now_s > self._last_seen_s + patience_s)

    def seen(self, now_s: float) -> None:
        """It is connected to the server."""
        self.has_come, self._last_seen_s = True, now_s

    @property
    def gone(self) -> bool:
        """Whether it has crashed so often that it is not started again."""
        return self._process is None and self._starts > RESTARTS

    def start(self) -> None:
        """Start it; what it prints goes to its log. Raises OSError."""
        folder = (self._into / self.entry.folder).resolve()
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                command_of(self.entry, self._rules, folder, self._server),
                cwd=folder,
                env=environment_of(self.entry, self._server, self._rules.sandbox),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                **own_group(),
            )
        if not self.is_started:
            self._first_start_s = self._last_seen_s = time.monotonic()
        self._starts += 1

    @property
    def log(self) -> Path:
        """The file with its output."""
        return self._into / "logs" / f"{Path(self.entry.folder).name}.log"

    def check(self, now_s: float, say: Say, children: Children | None = None) -> None:
        """Measure it, end it if it uses too much, start it again if it has ended.

        now_s: a clock that never jumps.  children: what runs now; None to look for it.
        """
        if self._process is None:
            if self.is_started and not self.gone and now_s >= self._start_at_s:
                self.start()
            return
        status = self._process.poll()
        if status is None:
            why = self._too_much(all_children() if children is None else children)
            if why is None:
                return
            self.stop()
        else:
            why = f"ended with {exit_text(status)}" + self._failure_line()
        self._process = None
        self._start_at_s = now_s + RESTART_AFTER_S
        self.usage.incidents.append(why)
        say(f"{self.entry.name} {why}; " + ("it is not started again" if self.gone else "it is started again"))

    def _too_much(self, children: Children) -> str | None:
        """Why it has to be ended, None if it need not be."""
        assert self._process is not None
        megabytes = self._meter.measure(self._process.pid, children)
        ours = 0 if self._rules.sandbox == SandboxOption.NONE else MEMORY_OF_OURS
        if megabytes > self._rules.memory_mb + ours:
            return f"used more than {self._rules.memory_mb} MB of memory: {megabytes:.0f}"
        return None

    def _failure_line(self) -> str:
        with contextlib.suppress(OSError):
            words = failure_line(self.log.read_bytes()[-4_000:].decode(errors="replace").splitlines())
            return f": {words}" if words else ""
        return ""

    def stop(self, wait_s: float | None = None, children: Children | None = None) -> None:
        """End it and all it has started; nothing if it does not run.

        wait_s: to end in order; None for STOP_S.  children: what runs now; None to look for it.
        """
        process = self._process
        if process is None:
            return
        # before it ends: afterwards their parent is unknown
        started = family(process.pid, all_children())
        signal_group(process.pid, hard=False)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(STOP_S if wait_s is None else wait_s)
        signal_group(process.pid, hard=True)
        for member in started:  # also what has left the group
            with contextlib.suppress(psutil.Error):
                member.kill()
        process.wait()
        self._process = None


class BotProcesses:
    """All of them; leaving the context ends them."""

    def __init__(self, programs: list[BotProcess], say: Say) -> None:
        self._programs, self._say = programs, say
        self._looked_s = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        children = all_children()
        for program in self._programs:
            _signal_early(program)
        deadline_s = time.monotonic() + STOP_S  # one for all: a class of programs that hang takes as long as one
        for program in self._programs:
            program.stop(max(0.0, deadline_s - time.monotonic()), children)

    def __iter__(self) -> Iterator[BotProcess]:
        return iter(self._programs)

    def check_all(self, connected: Callable[[], Container[str]]) -> None:
        """Look at each, if it is time. Raises OSError.

        connected: asks the server for the names of those that are there.
        """
        now_s = time.monotonic()
        if now_s - self._looked_s >= max(POLL_S, POLL_EACH_S * len(self._programs)):
            self._looked_s = now_s
            there, children = connected(), all_children()
            for program in self._programs:
                if program.entry.name in there:
                    program.seen(now_s)
                program.check(now_s, self._say, children)

    def start_some(self, free_cores: int) -> None:
        """Start the next ones in their order, one for each core that nobody needs. Raises OSError."""
        now_s = time.monotonic()
        room = free_cores - sum(program.is_starting(now_s) for program in self._programs)
        waiting = [program for program in self._programs if not program.is_started]
        for program in waiting[: max(0, room)]:
            program.start()

    @property
    def have_come(self) -> bool:
        """Whether all have been there, or need not be waited for any more."""
        now_s = time.monotonic()
        return all(program.has_come or program.is_away(now_s) for program in self._programs)

    @property
    def away(self) -> list[str]:
        """Names of the bots that need not be waited for any more."""
        now_s = time.monotonic()
        return [program.entry.name for program in self._programs if program.is_away(now_s)]


def _signal_early(program: BotProcess) -> None:
    """Ask it to stop before anybody is waited for, so that all end at the same time."""
    process = program._process
    if process is not None:
        signal_group(process.pid, hard=False)
