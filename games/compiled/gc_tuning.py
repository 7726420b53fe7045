"""Garbage while something is compiled: seldom looked for, and afterwards given back.

The compiler makes millions of objects, and most of them stay until it has done; who looks through them as often as
Python usually does, looks in vain for a tenth of the time. What LLVM has freed, the C library keeps for later.
"""

from __future__ import annotations

import ctypes
import gc
from typing import Any

from numba.core import event

SELDOM = (10_000, 20, 50)
COMPILING = "numba:compile"
GIVE_BACK = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc has it, other libraries of C do not


class Seldom(event.Listener):
    """Told of every compilation, one inside another, by one thread at a time: for that Numba has a lock."""

    def __init__(self) -> None:
        self._depth = 0
        self._usual = gc.get_threshold()

    def on_start(self, _event: Any) -> None:
        """What is seldom already, or never, stays so."""
        self._depth += 1
        if self._depth == 1:
            self._usual = gc.get_threshold()
            if 0 < self._usual[0] < SELDOM[0]:
                gc.set_threshold(*SELDOM)

    def on_end(self, _event: Any) -> None:
        """Also told where a compilation has failed."""
        self._depth -= 1
        if self._depth == 0:
            gc.set_threshold(*self._usual)
            if GIVE_BACK is not None:
                GIVE_BACK(0)


def collect_seldom_while_compiling() -> None:
    """From now on, in this process."""
    event.register(COMPILING, Seldom())
