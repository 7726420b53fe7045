"""What the evaluation of chess knows of endings with few men."""

from __future__ import annotations

import pytest

from tabiya.bots.evaluators.base import bound
from tabiya.bots.evaluators.chess.evaluator import ChessEvaluator
from tabiya.bots.search.kernel_calls import evaluation_of
from tabiya.games.registry import load_game

pytestmark = pytest.mark.slow


def value(placement: str, to_move: str = "w") -> int:
    """For who moves."""
    position = load_game("chess").parse(f"{placement} {to_move} - - 0 1")
    return int(evaluation_of(bound(ChessEvaluator, position.game), position.state))


def test_against_a_bare_king_the_edge_and_the_nearer_king_are_better() -> None:
    assert value("k7/8/8/8/8/8/1Q6/2K5") > value("8/8/8/3k4/8/8/1Q6/2K5")
    assert value("7k/8/5K2/8/8/8/Q7/8") > value("7k/8/8/8/8/8/Q7/K7")


@pytest.mark.parametrize(
    "placement",
    [
        pytest.param("8/8/8/3k4/8/8/1Q6/2K5", id="queen"),
        pytest.param("7k/8/8/8/8/8/Q7/K7", id="queen, the kings far apart"),
        pytest.param("8/8/8/3k4/8/8/1R6/2K5", id="rook"),
        pytest.param("4k3/8/8/8/8/8/8/R3K3", id="rook, the king on the edge"),
        pytest.param("8/8/3k4/8/8/8/2BB4/2K5", id="two bishops"),
        pytest.param("8/8/3k4/8/8/8/2BN4/2K5", id="bishop and knight"),
    ],
)
def test_a_bare_king_that_can_be_mated_is_as_good_as_lost(placement: str) -> None:
    assert value(placement) > 300
    assert value(placement, "b") < -300


@pytest.mark.parametrize("placement", ["8/8/8/3k4/8/8/1Q6/2K5", "7k/8/5K2/8/8/8/R7/8", "8/8/3k4/8/8/8/2BN4/2K5"])
def test_what_counts_more_against_a_bare_king_does_so_for_either_side_to_move(placement: str) -> None:
    ours, theirs = (value(placement, side) for side in "wb")
    assert ours > 300
    assert abs(ours + theirs) < 150


@pytest.mark.parametrize(
    "placement",
    [
        pytest.param("8/8/8/3k4/8/3K4/3P4/8", id="king and pawn, without the opposition"),
        pytest.param("k7/8/1K6/8/8/8/8/3NN3", id="two knights"),
        pytest.param("k7/8/8/8/P7/8/4K3/4B3", id="the wrong bishop for an outer pawn"),
        pytest.param("7k/8/8/8/7P/8/4K3/5B2", id="or on the other side"),
    ],
)
def test_what_cannot_be_won_is_even(placement: str) -> None:
    assert value(placement) == 0


def test_with_the_right_bishop_or_the_opposition_it_can() -> None:
    assert value("k7/8/8/8/P7/8/4K3/5B2") > 300
    assert value("3k4/8/3K4/3P4/8/8/8/8") > 100
