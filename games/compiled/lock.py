"""A lock on a folder, held by one process at a time; the system lets go of it when its holder dies."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

NAME = ".lock"

if sys.platform == "win32":
    import msvcrt

    def _hold(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)  # waits up to ten seconds

else:
    import fcntl

    def _hold(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; where the file system has none, go on without."""
    with (folder / NAME).open("ab") as file:
        with contextlib.suppress(OSError):
            _hold(file.fileno())
        yield
