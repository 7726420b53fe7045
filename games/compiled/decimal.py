"""Numbers as texts, written by compiled code."""

from __future__ import annotations

from typing import Any

from tabiya.games.compiled.jit import njit

DIGIT_0 = 48


@njit
def write_number(number: Any, out: Any, at: Any) -> Any:
    """Write a number >= 0 in decimal from `at`; return the index after it."""
    size, rest = 1, number // 10
    while rest > 0:
        size, rest = size + 1, rest // 10
    for place in range(size):
        out[at + size - 1 - place] = DIGIT_0 + number % 10
        number //= 10
    return at + size
