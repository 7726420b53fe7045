"""Limits of a hosted program, and the strength of sandboxes; a separate module, because the command line loads it."""

from __future__ import annotations

from tabiya.sandbox.option import SandboxOption

MEMORY_MB = 512
MEMORY_OF_OURS_MB = 128  # of what connects it
FILE_MB = 16  # of one file that it writes
_STRENGTHS = {SandboxOption.NONE: 0, SandboxOption.LANDLOCK: 1, SandboxOption.PODMAN: 2, SandboxOption.BUBBLEWRAP: 2}


def strength_of(sandbox: str) -> int:
    """The strength of a sandbox, for comparison; an unknown sandbox counts as none."""
    return _STRENGTHS.get(SandboxOption(sandbox), 0) if sandbox in tuple(SandboxOption) else 0
