"""`Sandbox`: a kind and limits, chosen once; `SandboxedProgram`: one program that is started with them.

A sandbox makes a sandboxed program for every start. That gives the command to be run in place of the program's own, and
the environment; it freezes and thaws the program, and tidies up when it has ended.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
import shutil
import socket
import stat
import sys
import tempfile
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from tabiya.errors import UserError
from tabiya.sandbox import control_group, processes
from tabiya.sandbox.bubblewrap import bubblewrap_command
from tabiya.sandbox.limits import MEGABYTE, Limits
from tabiya.sandbox.places import HOME, environment, readable
from tabiya.sandbox.podman import Container
from tabiya.sandbox.seccomp_filter import OWN_PID, filter_program

if TYPE_CHECKING:
    from tabiya.sandbox.restricted_exec import ExecRestrictions  # runs on Linux alone, this file anywhere

RESTRICTED_EXEC = Path(__file__).with_name("restricted_exec.py")
FIRST_USER, USERS = 1_700_000_000, 100_000_000  # numbers that no system gives to anybody
ANYBODY_READS = stat.S_IROTH | stat.S_IXOTH
SECRETS = "*.secrets"  # beside a server's database
SCRATCH = "/tmp"  # the folder to write in where its own file system is mounted there
MEMORY_OF_ITS_OWN = 256  # MB of address space that an interpreter reserves beyond the memory it uses


class SandboxKind(StrEnum):
    """The first choice first: a container holds more than Landlock, for half a second more of a start."""

    BUBBLEWRAP = "bubblewrap"
    PODMAN = "podman"
    LANDLOCK = "landlock"


class Sandbox:
    """The sandbox of every program of a run."""

    def __init__(self, kind: SandboxKind, limits: Limits | None = None) -> None:
        self.kind, self.limits = kind, limits or Limits()

    def around(self, folder: Path | None, *, starts_programs: bool = False) -> SandboxedProgram:
        """The sandbox of one start.

        folder: of the program, which it can read; None where all that it needs is ours.  starts_programs: whether it
        has to start others: an engine in a language of its own. Raises UserError for a folder that holds too much.
        """
        if folder is not None and Path.home().is_relative_to(folder):
            raise UserError(f"the program could read everything in {folder}; move it into its own folder")
        if folder is not None and (secret := next(folder.glob(SECRETS), None)):
            raise UserError(f"the program could read {secret}; move it into its own folder")
        if folder is not None and self.kind is SandboxKind.PODMAN and ":" in str(folder):
            raise UserError(f"podman cannot mount a folder with a colon in its name: {folder}")
        if folder is not None and self._changes_user and folder.stat().st_mode & ANYBODY_READS != ANYBODY_READS:
            raise UserError(
                f"in the sandbox a program of root runs as another user, who cannot read {folder}: chmod o+rx"
            )
        return SandboxedProgram(self.kind, self.limits, folder, starts_programs=starts_programs)

    @property
    def _changes_user(self) -> bool:
        return self.kind is not SandboxKind.LANDLOCK and os.geteuid() == 0


class SandboxedProgram:
    """One program in its sandbox, from before it starts until it has ended."""

    def __init__(self, kind: SandboxKind, limits: Limits, folder: Path | None, *, starts_programs: bool) -> None:
        self._kind, self._limits, self._folder = kind, limits, folder
        self._starts_programs = starts_programs
        self._group = control_group.new_group(limits, at_the_top=kind is SandboxKind.PODMAN)
        self._container = Container(limits, self._group) if kind is SandboxKind.PODMAN else None
        self._scratch = Path(tempfile.mkdtemp(prefix="tabiya-")) if kind is SandboxKind.LANDLOCK else None
        self._pid: int | None = None

    @property
    def held(self) -> frozenset[str]:
        """Of control_group.KINDS, what the program's control group holds."""
        return frozenset() if self._group is None else self._group.held

    @property
    def environment(self) -> dict[str, str]:
        """All of the program's environment."""
        return environment(SCRATCH if self._scratch is None else str(self._scratch))

    @property
    def has_loopback(self) -> bool:
        """Whether processes in the same sandbox can reach each other by the network."""
        return self._kind is not SandboxKind.LANDLOCK

    def command(self, program: tuple[str, ...]) -> tuple[str, ...]:
        """The command line that starts the program in the sandbox."""
        command = (sys.executable, "-I", "-S", str(RESTRICTED_EXEC), json.dumps(self._restrictions()), *program)
        if self._container is not None:
            return self._container.command(self._folder, self.environment, command)
        if self._kind is SandboxKind.BUBBLEWRAP:
            command = bubblewrap_command(self._folder, self._limits, command)
        return command if self._group is None else self._group.entering(command)

    def _restrictions(self) -> ExecRestrictions:
        is_landlock = self._kind is SandboxKind.LANDLOCK
        seen = [*readable(), "/dev/urandom", "/dev/zero", "/proc/cpuinfo", "/proc/meminfo", *self._folders()]
        families = () if is_landlock else (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6)
        filtered = filter_program(
            tuple(map(int, families)), unshared=not is_landlock, processes=not is_landlock or self._starts_programs
        )
        return {
            "limits": _system_limits(self._limits),
            "user": FIRST_USER + secrets.randbelow(USERS) if not is_landlock and os.geteuid() == 0 else None,
            "readable": seen if is_landlock else [],
            "writable": [str(self._scratch), "/dev/null"] if is_landlock else [],
            "listed": [str(HOME)] if is_landlock else [],  # or nothing in it can be imported
            "filter": base64.b64encode(filtered).decode(),
            "own_pid": OWN_PID,
            "parent": os.getpid() if is_landlock else None,
        }

    def _folders(self) -> list[str]:
        return [] if self._folder is None else [str(self._folder)]

    def started(self, pid: int) -> None:
        """The process that `command` became."""
        self._pid = pid

    def freeze(self) -> None:
        """Stop it until `thaw`. Raises nothing."""
        if self._group is not None and "freezer" in self.held:
            self._group.freeze()
        elif (pid := self._first_pid) is not None:
            processes.stop(pid)

    def thaw(self) -> None:
        """Let it go on. Raises nothing."""
        if self._group is not None and "freezer" in self.held:
            self._group.thaw()
        elif (pid := self._first_pid) is not None:
            processes.go_on(pid)

    @property
    def _first_pid(self) -> int | None:
        return self._pid if self._container is None else self._container.pid

    def ended(self) -> str:
        """End what is left of it and tidy up; what there is to say of its end, or nothing. It may take two seconds."""
        remark = ""
        if self._group is not None and self._group.memory_exceeded:
            remark = f"it used more than {self._limits.memory_mb} MB of memory"
        if self._container is not None:
            self.thaw()  # what is frozen does not end everywhere
            self._container.remove()
        if self._group is not None:
            self._group.remove()
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)
        return remark


def _system_limits(limits: Limits) -> dict[str, int]:
    return {
        "CORE": 0,
        "CPU": limits.cpu_s,
        "DATA": (limits.memory_mb + MEMORY_OF_ITS_OWN) * MEGABYTE,
        "FSIZE": limits.file_mb * MEGABYTE,
        "MEMLOCK": MEGABYTE,
        "MSGQUEUE": 0,
        "NICE": 0,
        "NOFILE": limits.open_files,
        "NPROC": limits.processes,
        "RTPRIO": 0,
    }
