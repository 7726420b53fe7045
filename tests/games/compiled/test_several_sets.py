"""Several sets at once are compiled what they are interpreted, and what as many plain numbers are."""

from __future__ import annotations

import functools
import operator
import random
from typing import Any

import numba
import numpy as np
import pytest

from tabiya.games.compiled.bits import ONE, U
from tabiya.games.compiled.several_sets import EIGHT, eight_sets, filled, four_sets, highest, members, put, union

ALL = 2**64 - 1
TABLE = np.array([[1, 8, 9, 7], [0, 1, 2**63, ALL], [5, ALL - 1, 2**40, 0]], np.uint64)


@numba.njit  # type: ignore[untyped-decorator]
def mixed(one: Any, other: Any, single: Any) -> Any:
    """Every operation, of four with four and of four with one."""
    steps, left, right = four_sets(TABLE, 0), four_sets(TABLE, one), four_sets(TABLE, other)
    left |= single
    found = union((left & right) + (single - right))
    found ^= union(~left >> steps) + union(right << steps)
    return found ^ union(highest(right | ONE)) + union(filled(right) << ONE)


def plain(one: int, other: int, single: int) -> int:
    """The same of plain integers."""
    both, kept, shifted, above, top, some = (0,) * 6
    for step, left, right in zip(*(TABLE[row].tolist() for row in (0, one, other)), strict=True):
        left |= single
        both |= (left & right) + (single - right) & ALL
        kept |= (left ^ ALL) >> step
        shifted |= right << step & ALL
        top |= 1 << (right | 1).bit_length() - 1
        some |= (right != 0) << 1
        above = kept + shifted & ALL
    return both ^ above ^ (top + some & ALL)


@pytest.mark.parametrize("one", range(3))
@pytest.mark.parametrize("other", range(3))
@pytest.mark.parametrize("single", [0, 1, 0x00FF00FF12345678, 2**63, ALL])
def test_all_operations_are_those_of_plain_numbers(one: int, other: int, single: int) -> None:
    expected = plain(one, other, single)
    assert int(mixed(one, other, U(single))) == expected
    with np.errstate(over="ignore"):
        assert int(mixed.py_func(one, other, U(single))) == expected


@numba.njit  # type: ignore[untyped-decorator]
def worked_out(words: Any, at: Any, steps: Any, one: Any, out: Any) -> Any:
    """What all functions and signs say of words[at] and on; the results of the signs are written to `out`."""
    first, second = eight_sets(words, at), eight_sets(words, 0)
    put(out, 0, (first & ~second) ^ (second | one))
    put(out, 8, (first << steps) | (second >> steps))
    put(out, 16, first & one)
    return members(first), union(first), union(first & ~first)


@pytest.mark.parametrize("form", [worked_out, worked_out.py_func])
def test_each_word_is_worked_out_by_itself(form: Any) -> None:
    draw = random.Random(8)
    for at in range(EIGHT + 1):
        words, steps, one = [draw.getrandbits(64) for _ in range(2 * EIGHT)], draw.randrange(64), draw.getrandbits(64)
        out = np.zeros(3 * EIGHT, np.uint64)
        found = form(np.array(words, np.uint64), np.int64(at), U(steps), U(one), out)
        first, second = words[at : at + EIGHT], words[:EIGHT]
        assert found == (sum(word.bit_count() for word in first), functools.reduce(operator.or_, first), 0)
        assert out.tolist() == [
            *((a & ~b) ^ (b | one) for a, b in zip(first, second, strict=True)),
            *((a << steps) & ALL | b >> steps for a, b in zip(first, second, strict=True)),
            *(a & one for a in first),
        ]
