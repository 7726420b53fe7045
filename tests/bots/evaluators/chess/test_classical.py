"""Each term of the chess evaluation prefers what it is about: the same men, one thing better."""

from __future__ import annotations

from typing import Any

import pytest
from numba import njit

from tabiya.bots.evaluators.base import bound
from tabiya.bots.evaluators.chess.classical import evaluate_chess
from tabiya.bots.evaluators.chess.classical_evaluator import HandmadeEvaluator
from tabiya.bots.evaluators.chess.weight_values import NUMBERS
from tabiya.bots.evaluators.chess.weights import WEIGHTS, read, record_of
from tabiya.bots.search.kernel_calls import evaluation_of
from tabiya.games.registry import load_game

pytestmark = pytest.mark.slow


@njit  # type: ignore[untyped-decorator]
def evaluate(state: Any, weights: Any) -> Any:
    return evaluate_chess(state, weights)


def value(placement: str) -> int:
    """For White, to move."""
    position = load_game("chess").parse(f"{placement} w - - 0 1")
    return int(evaluation_of(bound(HandmadeEvaluator, position.game), position.state))


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        pytest.param("4k3/2p5/8/5P2/8/8/8/4K3", "4k3/5p2/8/5P2/8/8/8/4K3", id="a passed pawn, a stopped one"),
        pytest.param("7k/8/4K3/4P3/8/8/8/8", "4k3/8/8/4P3/8/8/8/7K", id="a king beside the passed pawn, far away"),
        pytest.param("4k3/pppp4/8/8/8/8/PPPP4/4K3", "4k3/pppp4/8/8/8/8/P1P1P1P1/4K3", id="joined, isolated"),
        pytest.param("4k3/p6p/8/8/8/8/PP6/4K3", "4k3/p6p/8/8/8/P7/P7/4K3", id="side by side, doubled"),
        pytest.param("3rk3/p2p4/8/8/8/8/P2P4/2R1K3", "3rk3/p2p4/8/8/8/8/P2P4/3RK3", id="rook on an open file, closed"),
        pytest.param(
            "r2q1rk1/pp3ppp/8/8/8/8/PP3PPP/R2Q1RK1",
            "r2q1rk1/pp3ppp/8/8/6PP/8/PP3P2/R2Q1RK1",
            id="pawns before the king, gone ahead",
        ),
    ],
)
def test_the_better_of_two_positions_is_valued_higher(better: str, worse: str) -> None:
    assert value(better) > value(worse)


def test_a_piece_that_a_pawn_attacks_is_worth_less() -> None:
    assert value("4k3/pp6/2n5/3P4/8/8/PP6/4K3") > value("4k3/pp6/2n5/4P3/8/8/PP6/4K3")


def test_a_minor_piece_more_without_pawns_is_hardly_an_advantage() -> None:
    assert value("4k3/8/8/8/8/8/r7/1NR1K3") < 150
    assert value("4k3/8/8/8/8/8/8/R3K3") > 400


def test_bishops_of_opposite_colours_make_a_pawn_worth_less() -> None:
    opposite = value("4k3/5b2/8/8/8/2B5/P4P2/4K3")
    same = value("4k3/6b1/8/8/8/2B5/P4P2/4K3")
    assert 0 < opposite < same


def test_an_evaluation_can_bring_its_own_weights() -> None:
    numbers = read(NUMBERS)
    numbers["tempo"][:] += 100
    state = load_game("chess").start().state
    assert evaluate(state, record_of(numbers)[0]) - evaluate(state, WEIGHTS[0]) == 100
