"""The recipe of the weights: games with exact ends, and a fit that finds weights that are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scripts.weights.reversi_weights.__main__ import main
from scripts.weights.reversi_weights.fit import Matrix, Positions, least_squares
from scripts.weights.reversi_weights.play import SOLVED_FROM, Generator
from tabiya.bots.evaluators.reversi.pattern_shapes import PHASES, SHAPE_WEIGHTS, STRIDE

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def positions() -> Positions:
    generator = Generator(depth=1)
    return Positions.of([row for seed in range(20) for row in generator.game(seed)])


def test_the_same_seed_plays_the_same_game() -> None:
    assert list(Generator(depth=1).game(7)) == list(Generator(depth=1).game(7))


def test_positions_are_of_all_phases_and_results_are_even(positions: Positions) -> None:
    empty = 64 - np.bitwise_count(positions.mine | positions.theirs)
    assert empty.max() > 50
    assert empty.min() < SOLVED_FROM
    assert not (positions.mine & positions.theirs).any()
    assert not (positions.result % 2).any()  # the winner gets the empty squares


def test_values_of_searches_are_near_the_results_and_equal_where_those_are_exact(positions: Positions) -> None:
    exact = 64 - np.bitwise_count(positions.mine | positions.theirs) <= SOLVED_FROM
    assert (positions.value[exact] == 100 * positions.result[exact].astype(np.int16)).all()
    assert np.corrcoef(positions.value[~exact], positions.result[~exact])[0, 1] > 0.3


def test_the_aim_lies_between_result_and_value(positions: Positions) -> None:
    one = positions.only(np.arange(len(positions.mine)) == 0)
    result, value = float(one.result[0]), float(one.value[0]) / 100
    assert one.aims(0.25) == pytest.approx([0.75 * result + 0.25 * value])


def test_conjugate_gradients_find_the_least_squares(positions: Positions) -> None:
    few = positions.only(np.arange(len(positions.mine)) % 16 == 0)
    matrix, ridge = Matrix(few), 2.0
    wanted = few.result.astype(np.float64)
    found = least_squares(matrix, wanted, ridge, 200)
    # the gradient of the sum of squares is zero there, and nowhere else
    slope = matrix.transposed_times(matrix.times(found) - wanted) + ridge * found
    assert np.abs(slope).max() < 1e-3
    assert len(found) == STRIDE > SHAPE_WEIGHTS


def test_the_two_commands_make_a_file_of_weights(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games, weights = tmp_path / "games.npz", tmp_path / "weights.npz"
    main(["play", "--games", "12", "--depth", "1", "--to", str(games)])
    main(["fit", str(games), "--to", str(weights)])
    assert f"phase {PHASES - 1}" in capsys.readouterr().out
    assert weights.stat().st_size > 0
