"""Four sets at once are compiled what they are interpreted, and what four plain numbers are."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from tabiya.games.compiled.bits import ONE, U
from tabiya.games.compiled.four_sets import filled, four_sets, highest, union

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
