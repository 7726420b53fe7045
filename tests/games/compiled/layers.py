"""Functions that call one another, for the tests of how they are compiled."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from games.compiled.jit import njit

TABLE = np.arange(64, dtype=np.int64) ** 2


@njit(nogil=True)
def lowest(x: Any) -> Any:
    return TABLE[x % 64] + max(x, 3)


@njit(nogil=True)
def middle(x: Any) -> Any:
    return lowest(x) - lowest(x // 2)


@njit(nogil=True)
def steps_down(x: Any) -> Any:
    """A recursion that is inside."""
    return np.int64(0) if x < 2 else np.int64(1) + steps_down(x // 2)


@njit(cache=True, nogil=True)
def first(x: Any) -> Any:
    return middle(x) + steps_down(x)


@njit(cache=True, nogil=True)
def second(x: Any) -> Any:
    """One that Python calls may call another."""
    return first(x) + middle(x + 1) + lowest(x)


@numba.njit
def of_numba(x: Any) -> Any:
    """Compiled by Numba's own pipeline."""
    return middle(x) + steps_down(x)
