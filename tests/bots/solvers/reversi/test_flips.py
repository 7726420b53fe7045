from __future__ import annotations

from typing import Any

import numba
import pytest

from tabiya.bots.solvers.reversi.flips import AROUND, turned_by
from tabiya.games.compiled.bits import ONE, U
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tabiya.games.reversi.discs import turned
from tests.bots.solvers.reversi.twin import late_positions


@numba.njit  # type: ignore[untyped-decorator]
def both(square: Any, mine: Any, theirs: Any) -> Any:
    """What turns over by the fast way and by the rules' own."""
    return turned_by(square, mine, theirs), turned(ONE << U(square), mine, theirs)


@pytest.mark.slow
@pytest.mark.parametrize("empties", [54, 30, 8])
def test_the_fast_way_turns_the_discs_that_the_rules_turn(empties: int) -> None:
    for position in late_positions(empties, 20, seed=empties):
        mine, theirs = U(position.state.mine), U(position.state.theirs)
        for square in empty_squares(position):
            fast, truth = both(square, mine, theirs)
            assert fast == truth


def empty_squares(position: Position) -> list[int]:
    return [square for square, letter in enumerate(position.text()[:64]) if letter == "-"]


def test_corners_have_three_neighbours_edges_five_others_eight() -> None:
    counts = [int(squares).bit_count() for squares in AROUND]
    assert [counts.count(n) for n in (3, 5, 8)] == [4, 24, 36]
    assert load_game("reversi").start().text()[27] == "O"  # d4: the squares are numbered as here
