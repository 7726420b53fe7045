"""A position as a node, and the parameters of its evaluation."""

from __future__ import annotations

import pytest

from tabiya.bots.search.scores import MATE, WON
from tabiya.bots.textbook.board import Board, LeafEvaluator
from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.compiled import leaf
from tabiya.bots.textbook.node import INFINITY, Wins
from tabiya.bots.textbook.run_listing import run_listing
from tabiya.games.registry import names
from tests.bots.textbook.boards import board, leaf_evaluator_for, positions

pytestmark = pytest.mark.slow
X_HAS_WON = "3x3x3 XXXOO---- O"
LOST = "3x3x3 XO-OX-X-- O"  # X threatens c1 and c3
DRAWN = "3x3x3 XOXXOOOXX O"
O_CANNOT_MOVE = "8/8/8/8/8/5k2/5p2/5K2 w - - 0 1"  # stalemate of White


def test_a_board_is_what_the_books_call_one() -> None:
    root = board("tictactoe")
    child = root.play("b2")
    assert (root.seat, root.ply, root.move, root.over, root.moves()[:2]) == (0, 0, "", False, ("a1", "b1"))
    assert (child.seat, child.ply, child.move) == (1, 1, "b2")
    assert repr(root) == "<Board 3x3x3 --------- X>"


def test_a_board_within_a_game_begins_without_a_move() -> None:
    position = board("tictactoe").position.play("b2")
    assert Board(position, leaf_evaluator_for("tictactoe")).move == ""


@pytest.mark.parametrize("name", names())
def test_analysis_is_for_seat_0_and_eval_for_the_side_to_move(name: str) -> None:
    for position in positions(name):
        node = Board(position, leaf_evaluator_for(name))
        assert node.eval() == node.estimate() == (node.analysis() if position.to_move == 0 else -node.analysis())


@pytest.mark.parametrize(("wins", "worth"), [(Wins.SOONER, int(MATE)), (Wins.INFINITE, INFINITY), (Wins.ONE, 1)])
def test_a_won_game_is_worth_what_the_judge_says(wins: Wins, worth: int) -> None:
    leaf_evaluator = leaf_evaluator_for("tictactoe", wins=wins)
    won = board("tictactoe", X_HAS_WON, leaf_evaluator)
    assert (won.over, won.analysis(), won.eval()) == (True, worth, -worth)
    assert Board(won.position, leaf_evaluator, ply=3).analysis() == (worth - 3 if wins is Wins.SOONER else worth)
    assert board("tictactoe", DRAWN, leaf_evaluator).analysis() == 0


def test_where_margins_matter_a_game_is_won_by_its_margin() -> None:
    position = positions("reversi")[0]
    while position.outcome() is None:
        position = position.play(position.legal_moves()[0])
    discs = position.text()[:64]
    margin = abs(discs.count("X") - discs.count("O")) + discs.count("-")
    assert abs(Board(position, leaf_evaluator_for("reversi")).eval()) == int(WON) + margin


def test_with_wins_of_one_a_position_that_goes_on_is_even() -> None:
    node = board("chess", "4k3/8/8/8/8/8/8/QQQQK3 w - - 0 1", leaf_evaluator_for("chess", wins=Wins.ONE))
    assert node.eval() == node.analysis() == 0


def test_the_evaluation_is_divided_towards_zero() -> None:
    plain, coarse = leaf_evaluator_for("tictactoe"), leaf_evaluator_for("tictactoe", grain=7)
    for position in positions("tictactoe"):
        exact = Board(position, plain).eval()
        assert Board(position, coarse).eval() == int(exact / 7)
    assert [coarse.coarse(value) for value in (13, -13, 14, -14, -6, 6)] == [1, -1, 2, -2, 0, 0]


def test_decided_games_are_not_divided() -> None:
    assert board("tictactoe", X_HAS_WON, leaf_evaluator_for("tictactoe", grain=10)).eval() == -int(MATE)
    leaf_evaluator = leaf_evaluator_for("tictactoe", grain=10, wins=Wins.ONE)
    assert leaf_evaluator.coarse(1) == 1
    assert leaf_evaluator_for("tictactoe", grain=10).coarse(-20_000) == -20_000


@pytest.mark.parametrize("grain", [0, -3])
def test_a_grain_that_means_nothing_is_refused(grain: int) -> None:
    with pytest.raises(ValueError, match="divided by a whole number from 1 on"):
        leaf_evaluator_for("nim", grain=grain)


def test_floor_division_would_make_negamax_differ_from_minimax() -> None:
    # what the two sides see of one position must differ by the sign only; -7 // 2 is -4 and 7 // 2 is 3
    for value in range(-30, 31):
        assert leaf_evaluator_for("nim", grain=4).coarse(-value) == -leaf_evaluator_for("nim", grain=4).coarse(value)
    assert -7 // 2 != -(7 // 2)


def test_at_the_horizon_a_position_counts_as_over() -> None:
    leaf_evaluator = leaf_evaluator_for("tictactoe")
    root = Board(board("tictactoe").position, leaf_evaluator, horizon=1)
    assert (root.over, root.play("b2").over, root.play("b2").ended) == (False, True, False)
    assert find("002-negamax").search(root, 1) == find("minimax").search(board("tictactoe"), 1)


def test_near_moves_are_those_the_evaluator_would_search() -> None:
    position = board("connect5").position.play("h8")
    near = Board(position, leaf_evaluator_for("connect5", near=True)).moves()
    assert len(near) == 24
    assert set(near) < set(position.legal_moves())
    assert len(Board(position, leaf_evaluator_for("connect5")).moves()) == 224


def test_a_gain_is_the_priority_of_the_evaluator() -> None:
    position = board("reversi").position
    gains = {move: Board(position, leaf_evaluator_for("reversi")).gain(move) for move in position.legal_moves()}
    assert len(set(gains.values())) == 1  # by symmetry


def test_captures_are_the_noisy_moves_the_most_valuable_victim_first() -> None:
    node = board("chess", "4k3/8/8/3q1r2/4P3/8/8/4K3 w - - 0 1")
    assert node.captures() == ["e4d5", "e4f5"]
    assert board("tictactoe").captures() == []


def test_quiescence_plays_captures_to_their_end() -> None:
    text = "4k3/8/2p5/3p4/8/8/8/3QK3 w - - 0 1"  # the queen can take a defended pawn
    loud, quiet = leaf_evaluator_for("chess"), leaf_evaluator_for("chess", quiescence=True)
    after = board("chess", text, loud).play("d1d5").position
    greedy = -Board(after, loud).eval()
    assert greedy > board("chess", text, loud).eval()
    assert -Board(after, quiet).eval() < greedy - 500
    assert quiet.quiet > 0
    assert loud.quiet == 0


def test_quiescence_never_makes_a_quiet_position_worse_than_standing_still() -> None:
    for position in positions("chess"):
        assert (
            Board(position, leaf_evaluator_for("chess", quiescence=True)).eval()
            >= Board(position, leaf_evaluator_for("chess")).eval()
        )


def test_000_finds_no_move_in_a_lost_position_where_won_is_worth_infinity() -> None:
    infinite, sooner = (
        board("tictactoe", LOST, leaf_evaluator_for("tictactoe", wins=w)) for w in (Wins.INFINITE, Wins.SOONER)
    )
    for name in ("000-minimax", "000-negamax", "000-alphabeta", "000-negamax-alphabeta"):
        report = run_listing(find(name), infinite, 4)
        assert (report.value, report.move) == (-INFINITY, None)
        assert run_listing(find(name), sooner, 4).move == "c1"


def test_a_stalemate_scores_as_lost_in_001_and_003() -> None:
    stalemate = board("chess", O_CANNOT_MOVE)
    assert stalemate.over
    for name in ("001-minimax", "003-negamax", "003-minmax"):
        assert find(name).search(stalemate, 1) == -INFINITY
    for name in ("000-negamax", "002-negamax", "004-lookahead"):
        assert find(name).search(stalemate, 1) == 0


def test_the_constants_of_book_forms_and_twins_agree() -> None:
    from tabiya.bots.textbook import quiescence

    assert int(leaf.INFINITY) == INFINITY
    assert leaf.DEEPEST == quiescence.DEEPEST


def test_a_judge_counts_from_zero() -> None:
    assert LeafEvaluator(leaf_evaluator_for("nim").evaluator).quiet == 0
