"""Raise the thresholds of the garbage collector while Numba compiles, and give freed memory back afterwards.

The compiler makes millions of objects that mostly live until it ends, so the usual collections take a tenth of the
time and free little. The C library keeps the memory that LLVM frees, unless asked (`malloc_trim`, 0.2 ms).
"""

from __future__ import annotations

import ctypes
import gc
from typing import Any

from numba.core import event

RARELY = (10_000, 20, 50)  # thresholds; no collection at all gains 0.2 s of 11 and costs 90 MB (chess)
COMPILING = "numba:compile"
MALLOC_TRIM = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc has it, other libraries of C do not


class RareCollection(event.Listener):
    """Called at every start and end of a compilation; they nest, and Numba's lock allows one thread at a time."""

    def __init__(self) -> None:
        self._depth = 0
        self._usual = gc.get_threshold()

    def on_start(self, _event: Any) -> None:
        """Raise the thresholds, unless the collector is off or rarer already."""
        self._depth += 1
        if self._depth == 1:
            self._usual = gc.get_threshold()
            if 0 < self._usual[0] < RARELY[0]:
                gc.set_threshold(*RARELY)

    def on_end(self, _event: Any) -> None:
        """Also called where a compilation has failed."""
        self._depth -= 1
        if self._depth == 0:
            gc.set_threshold(*self._usual)
            if MALLOC_TRIM is not None:
                MALLOC_TRIM(0)


def collect_rarely_while_compiling() -> None:
    """From now on, in this process."""
    event.register(COMPILING, RareCollection())
