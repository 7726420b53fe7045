from __future__ import annotations

from typing import Any

import numba
import pytest

from tabiya.bots.solvers.reversi.parity import QUADRANT, odd_quadrants
from tabiya.games.compiled.bits import U


@numba.njit  # type: ignore[untyped-decorator]
def odd_of(empty: Any) -> Any:
    """Compiled functions have compiled callers only."""
    return odd_quadrants(empty)


def quadrant(square: int) -> set[int]:
    return {s for s in range(64) if s % 8 // 4 == square % 8 // 4 and s // 32 == square // 32}


def members(squares: int) -> set[int]:
    return {square for square in range(64) if int(squares) >> square & 1}


def test_each_square_has_the_quadrant_it_lies_in() -> None:
    assert [members(int(found)) for found in QUADRANT] == [quadrant(square) for square in range(64)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("empty", "odd"),
    [([], set()), ([0], {0}), ([0, 9], set()), ([0, 7, 56, 63], {0, 7, 56, 63}), ([3, 4, 12, 40, 41, 42], {3, 40})],
)
def test_a_quadrant_is_odd_when_an_odd_number_of_its_squares_is_empty(empty: list[int], odd: set[int]) -> None:
    found = odd_of(U(sum(1 << square for square in empty)))
    assert members(found) == set().union(*(quadrant(square) for square in odd))
