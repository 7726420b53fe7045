from __future__ import annotations

import random
from typing import Any

import numba
import pytest

from tabiya.bots.solvers.reversi.stable_discs import stable_discs
from tabiya.games.compiled.bits import U
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tests.bots.solvers.reversi.twin import late_positions


@numba.njit  # type: ignore[untyped-decorator]
def stable_of(mine: Any, theirs: Any) -> Any:
    """Compiled functions have compiled callers only."""
    return stable_discs(mine, theirs)


def stable(position: Position) -> int:
    return int(stable_of(U(position.state.mine), U(position.state.theirs)))


@pytest.mark.slow
def test_stable_discs_keep_their_colour_to_the_end_of_any_game() -> None:
    draw, found = random.Random(3), 0
    for position in late_positions(14, 60, seed=3):
        for _ in range(4):
            kept, end = stable(position), position
            while end.outcome() is None:
                end = end.play(draw.choice(end.legal_moves()))
            mine = end.state.mine if end.to_move == position.to_move else end.state.theirs
            assert int(mine) & kept == kept, position
            found += kept.bit_count()
    assert found > 500


@pytest.mark.slow
def test_corners_and_what_joins_them_are_stable_and_a_full_board_is_all() -> None:
    game = load_game("reversi")
    edge = game.parse("XXX-----" + "-" * 16 + "---OX------XO---" + "-" * 24 + " X")
    assert stable(edge) == 0b111
    assert stable(game.parse("X" * 33 + "O" * 31 + " X")) == (1 << 33) - 1
    middle = game.parse("-" * 27 + "XX------XX" + "-" * 27 + " X")
    assert stable(middle) == 0
