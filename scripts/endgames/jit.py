"""Numba's own decorator, for functions that Python calls, too, and that each of these commands compiles again."""

from __future__ import annotations

from typing import Any

import numba


def njit(function: Any) -> Any:
    """The function, compiled when it is called first."""
    return numba.njit(function)
