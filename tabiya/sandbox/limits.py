"""Resource limits of a sandboxed program."""

from __future__ import annotations

from msgspec import Struct

MEGABYTE = 1 << 20


class Limits(Struct, frozen=True, kw_only=True):
    """Limits of a sandboxed program, the same for every program of a run.

    memory_mb: of all its processes where a control group holds them, else of each.  processes: threads count.
    file_mb: of one file that it writes.  scratch_mb: of its own temporary folder.  cores: how many it may keep busy.
    cpu_s: of processor time for each of its processes, in its whole life.
    """

    memory_mb: int = 1024
    processes: int = 64
    open_files: int = 256
    file_mb: int = 64
    scratch_mb: int = 64
    cores: float = 1.0
    cpu_s: int = 24 * 3600
