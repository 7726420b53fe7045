"""The interface of an optional sandbox for workers whose player is not ours; tabiya/sandbox implements it."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol


class SandboxedProgram(Protocol):
    """One worker in a sandbox, from before it starts until it has ended."""

    @property
    def environment(self) -> dict[str, str]:
        """All of the worker's environment."""

    @property
    def has_loopback(self) -> bool:
        """Whether processes in the same sandbox can reach each other by the network."""

    def command(self, program: tuple[str, ...]) -> tuple[str, ...]:
        """The command line that starts the program in the sandbox."""

    def started(self, pid: int) -> None:
        """The process that `command` became."""

    def freeze(self) -> None:
        """Stop it until `thaw`. Raises nothing."""

    def thaw(self) -> None:
        """Let it go on. Raises nothing."""

    def ended(self) -> str:
        """End the rest of it and clean up, in up to two seconds; returns a remark on how it ended, or ""."""


class Sandbox(Protocol):
    """Makes a `SandboxedProgram` for every start of a worker."""

    def around(self, folder: Path | None, *, starts_programs: bool = False) -> SandboxedProgram:
        """folder: that of the player's file, which it can read.  starts_programs: whether it has to start others."""
