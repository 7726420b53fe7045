"""The compiled evaluation adds the weights that the plain lists of squares name."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tabiya.bots.evaluators.reversi import weights
from tabiya.bots.evaluators.reversi.pattern_shapes import (
    PHASES,
    SHAPE_WEIGHTS,
    SHAPES,
    STRIDE,
    phase_of,
    turned_board,
)
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.search.kernel_calls import evaluation_of
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tabiya.games.reversi.rules import PASS
from tests.bots.solvers.reversi.twin import late_positions


@pytest.fixture
def random_weights() -> Iterator[None]:
    """Weights that differ everywhere, mirrored ones apart, in place of the fitted."""
    evaluator_for(load_game("reversi"))  # reads the fitted ones
    kept, own = weights.WEIGHTS.copy(), weights.representatives()
    drawn = np.random.default_rng(5).integers(-99, 100, (PHASES, STRIDE))[:, own]
    weights.WEIGHTS[:] = drawn.astype(np.int16).ravel()
    yield
    weights.WEIGHTS[:] = kept


def around(squares: set[int]) -> set[int]:
    return {
        8 * row + column
        for square in squares
        for row in range(max(0, square // 8 - 1), min(8, square // 8 + 2))
        for column in range(max(0, square % 8 - 1), min(8, square % 8 + 2))
    }


def moves_of(text: str) -> int:
    position = load_game("reversi").parse(text)
    return len([move for move in position.legal_moves() if move != "pass"])


def plain_value(position: Position) -> int:
    """The sum of weights, from the texts alone."""
    squares, side = position.text().split()
    other = "O" if side == "X" else "X"
    base = phase_of(squares.count("-")) * STRIDE
    score = 0
    for shape in SHAPES:
        for lies in shape.lies:
            number = sum(3**i * ("-" + side + other).index(squares[square]) for i, square in enumerate(lies))
            score += int(weights.WEIGHTS[base + shape.start + number])
    empty = {i for i in range(64) if squares[i] == "-"}
    beside = [len(around({i for i in range(64) if squares[i] == letter}) & empty) for letter in (other, side)]
    numbers = (moves_of(f"{squares} {side}"), moves_of(f"{squares} {other}"), *beside, 1)
    score += sum(int(weights.WEIGHTS[base + SHAPE_WEIGHTS + i]) * number for i, number in enumerate(numbers))
    return max(-6400, min(6400, score))


@pytest.mark.slow
@pytest.mark.usefixtures("random_weights")
@pytest.mark.parametrize("empties", [56, 45, 37, 30, 22, 12, 3])
def test_the_evaluation_is_the_sum_of_the_weights_of_all_places(empties: int) -> None:
    evaluator = evaluator_for(load_game("reversi"))
    for position in late_positions(empties, 10, seed=80 + empties):
        assert int(evaluation_of(evaluator, position.state)) == plain_value(position), position


@pytest.mark.slow
def test_a_turned_or_mirrored_board_is_worth_the_same() -> None:
    evaluator = evaluator_for(load_game("reversi"))
    for position in late_positions(24, 10, seed=81):
        squares, side = position.text().split()
        value = int(evaluation_of(evaluator, position.state))
        for how in range(8):
            other = "".join(squares[turned_board(square, how)] for square in range(64))
            assert int(evaluation_of(evaluator, load_game("reversi").parse(f"{other} {side}").state)) == value


@pytest.mark.slow
def test_a_corner_is_worth_having_and_good_positions_are_seen_as_good() -> None:
    """Not the weights themselves are tested, but that they are those of this evaluation and say something."""
    evaluator, draw, right, seen = evaluator_for(load_game("reversi")), random.Random(8), 0, 0
    for position in late_positions(20, 200, seed=82):
        end = position
        for _ in range(64):
            if end.outcome() is not None:
                break
            replies = [end.play(move) for move in end.legal_moves()]
            values = [int(evaluation_of(evaluator, reply.state)) for reply in replies]
            end = replies[values.index(min(values))] if draw.random() < 0.9 else draw.choice(replies)
        outcome = end.outcome()
        if outcome is not None and outcome.winner is not None:
            value = int(evaluation_of(evaluator, position.state))
            right += (value > 0) == (outcome.winner == position.to_move)
            seen += 1
    assert seen > 150
    assert right > 0.6 * seen  # by chance once in four hundred times


def test_shapes_lie_on_the_board_as_often_as_their_symmetry_says() -> None:
    counts = {shape.name: len(shape.lies) for shape in SHAPES}
    assert PASS not in {square for shape in SHAPES for lies in shape.lies for square in lies}
    assert counts == {
        "edge and X squares": 4, "corner": 4, "corner of two by five": 8,
        "second row": 4, "third row": 4, "fourth row": 4,
        "diagonal of 8": 2, "diagonal of 7": 4, "diagonal of 6": 4, "diagonal of 5": 4, "diagonal of 4": 4,
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.usefixtures("random_weights")
def test_weights_that_were_saved_are_read_again_to_their_unit(tmp_path: Path) -> None:
    own = weights.representatives()
    drawn = np.random.default_rng(6).integers(-2000, 2000, (PHASES, STRIDE))[:, own]
    weights.save(tmp_path / "weights.npz", drawn)
    weights.load(tmp_path / "weights.npz")
    assert np.abs(weights.WEIGHTS.reshape(PHASES, STRIDE) - drawn).max() <= weights.UNIT / 2


def test_the_file_is_small() -> None:
    assert weights.FILE.stat().st_size < 800_000
