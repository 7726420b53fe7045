"""Functions that call one another, for the tests of how they are compiled."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from tabiya.games.compiled.jit import njit

TABLE = np.arange(64, dtype=np.int64) ** 2


@njit
def lowest(x: Any) -> Any:
    return TABLE[x % 64] + max(x, 3)


@njit
def middle(x: Any) -> Any:
    return lowest(x) - lowest(x // 2)


@njit
def steps_down(x: Any) -> Any:
    """A recursion that is inside."""
    return np.int64(0) if x < 2 else np.int64(1) + steps_down(x // 2)


@njit(cache=True)
def first(x: Any) -> Any:
    return middle(x) + steps_down(x)


@njit(cache=True)
def second(x: Any) -> Any:
    """One that Python calls may call another."""
    return first(x) + middle(x + 1) + lowest(x)


@njit
def pretends(x: Any) -> Any:
    """The compiler of machine code sees that `lowest` is never called here."""
    y = x * 2
    return lowest(x) if y & 1 else y


@njit(cache=True)
def third(x: Any) -> Any:
    """Needs `lowest` through `middle`, behind one that only pretends to."""
    return pretends(x) + middle(x)


@numba.njit
def of_numba(x: Any) -> Any:
    """Compiled by Numba's own pipeline."""
    return middle(x) + steps_down(x)


@numba.njit
def third_of_numba(x: Any) -> Any:
    """As `third`."""
    return pretends(x) + middle(x)
