"""A bound on how long an author's file may take to be loaded in the process of a command."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

LOAD_S = 20.0  # to import a file and make its bot; large packages take up to ten


AGAIN_S = 1.0  # for code that catches everything, and for compiling
COMPILERS = frozenset({"numba", "llvmlite"})


class TooSlow(BaseException):
    """What runs under a time limit is not over in time. Raised where it stands; `except Exception` lets it pass."""


def is_compiling(frame: FrameType | None) -> bool:
    """Whether a compiler is at work in this call: the first time, the rules of chess take it half a minute."""
    while frame is not None:
        if COMPILERS.intersection(Path(frame.f_code.co_filename).parts):
            return True
        frame = frame.f_back
    return False


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TooSlow in the block when it is not over after `seconds`, and no compiler is at work then.

    Only in a main thread on a system with alarms; elsewhere a worker's supervisor has limits of its own.
    """
    may = threading.current_thread() is threading.main_thread() and hasattr(signal, "SIGALRM")
    if not may or signal.getsignal(signal.SIGALRM) is not signal.SIG_DFL or sys.gettrace() is not None:
        yield  # somebody else uses the alarm, or a debugger stands still
        return

    def ring(number: int, frame: FrameType | None) -> None:
        if is_compiling(frame):
            return  # it rings again in a second
        raise TooSlow(f"it is not over after {seconds:g} s")

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
