"""Eight sets at once, compiled and interpreted, are eight sets one after the other."""

from __future__ import annotations

import random
from typing import Any

import numba
import numpy as np
import pytest

from tabiya.games.compiled.bits import U
from tabiya.games.compiled.eight_words import EIGHT, eight, has_any, members, put

MASK = 2**64 - 1


@numba.njit  # type: ignore[untyped-decorator]
def worked_out(words: Any, at: Any, steps: Any, one: Any, out: Any) -> Any:
    """What all functions and signs say of words[at] and on; the results of the signs are written to `out`."""
    first, second = eight(words, at), eight(words, 0)
    put(out, 0, (first & ~second) ^ (second | one))
    put(out, 8, (first << steps) | (second >> steps))
    put(out, 16, first & one)
    return members(first), has_any(first), has_any(first & ~first)


@pytest.mark.parametrize("form", [worked_out, worked_out.py_func])
def test_each_word_is_worked_out_by_itself(form: Any) -> None:
    draw = random.Random(8)
    for at in range(EIGHT + 1):
        words, steps, one = [draw.getrandbits(64) for _ in range(2 * EIGHT)], draw.randrange(64), draw.getrandbits(64)
        out = np.zeros(3 * EIGHT, np.uint64)
        found = form(np.array(words, np.uint64), np.int64(at), U(steps), U(one), out)
        first, second = words[at : at + EIGHT], words[:EIGHT]
        assert found == (sum(word.bit_count() for word in first), True, False)
        assert out.tolist() == [
            *((a & ~b) ^ (b | one) for a, b in zip(first, second, strict=True)),
            *((a << steps) & MASK | b >> steps for a, b in zip(first, second, strict=True)),
            *(a & one for a in first),
        ]
