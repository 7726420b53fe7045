"""The evaluations of the textbooks: what they count, and that what a move changes adds up."""

from __future__ import annotations

import pytest

from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.textbook.board import Board, LeafEvaluator
from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.evaluations.index import DEFAULTS, EVALUATIONS, book_evaluator, evaluations
from tabiya.bots.textbook.run_listing import best_moves, run_listing
from tabiya.games.position import Position
from tabiya.games.registry import load_game, names
from tests.bots.positions import unfinished

pytestmark = pytest.mark.slow
SEED = 5
VALUES = {"p": 100, "n": 300, "b": 300, "r": 500, "q": 900, "k": 0}
WORTH = {4: 400, 3: 60, 2: 8, 1: 0, 0: 0}


def board(name: str, text: str, evaluation: str) -> Board:
    game = load_game(name)
    return Board(game.parse(text), LeafEvaluator(book_evaluator(game, evaluation)))


def count_plainly(position: Position) -> int:
    """Fours, threes and twos of the mover less the opponent's, window by window."""
    size, cells, mover = position.text().split()
    columns, rows, k = map(int, size.split("x"))
    total = 0
    for x in range(columns):
        for y in range(rows):
            for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
                if 0 <= x + (k - 1) * dx < columns and y + (k - 1) * dy < rows:
                    window = [cells[(y + i * dy) * columns + x + i * dx] for i in range(k)]
                    mine, theirs = window.count(mover), window.count("O" if mover == "X" else "X")
                    total += WORTH[mine - k + 5] if mine and not theirs else 0
                    total -= WORTH[theirs - k + 5] if theirs and not mine else 0
    return total


def test_material_is_the_sum_of_the_piece_values() -> None:
    for position in unfinished("chess", 20, SEED):
        men = position.text().split()[0]
        white = sum(VALUES[man.lower()] * (1 if man.isupper() else -1) for man in men if man.isalpha())
        assert Board(position, LeafEvaluator(book_evaluator(position.game, "material"))).analysis() == white


def test_greedy_takes_the_defended_pawn_with_the_queen_and_two_plies_do_not() -> None:
    start = board("chess", "4k3/8/2p5/3p4/8/8/8/3QK3 w - - 0 1", "material")
    assert run_listing(find("000-greedy"), start, 1).move == "d1d5"
    assert "d1d5" not in best_moves(find("minimax"), start, 2)


def test_fours_threes_and_twos_are_counted_as_a_plain_count_does() -> None:
    for position in unfinished("connect5", 12, SEED):
        leaf_evaluator = LeafEvaluator(book_evaluator(position.game, "fours"))
        assert Board(position, leaf_evaluator).eval() == count_plainly(position), position


def test_what_a_move_changes_is_the_difference_of_two_whole_counts() -> None:
    for position in unfinished("connect5", 6, SEED):
        node = Board(position, LeafEvaluator(book_evaluator(position.game, "fours")))
        for move in position.legal_moves()[::5]:
            child = node.play(move)
            if not child.over:
                assert -child.eval() - node.eval() == node.gain(move), (position.text(), move)


def test_completing_a_line_gains_most() -> None:
    node = board("connect5", "7x5x5 XXXX---OOOO------------------------ X", "fours")
    assert run_listing(find("004-greedy"), node, 1).line == ("e1",)
    assert node.gain("e1") > node.gain("e2") > max(node.gain(move) for move in ("f1", "a3", "g5"))


def test_narrow_looks_only_at_cells_that_touch_a_stone() -> None:
    game = load_game("connect5")
    position = game.start().play("h8")
    near, nearer = (LeafEvaluator(book_evaluator(game, name), near=True) for name in ("fours", "fours-narrow"))
    assert len(Board(position, near).moves()) == 24
    assert len(Board(position, nearer).moves()) == 8
    assert len(Board(game.start(), nearer).moves()) == 225


def test_every_evaluation_is_for_registered_games_and_none_else() -> None:
    assert {game for evaluation in EVALUATIONS.values() for game in evaluation.games} < set(names())
    for name in names():
        for evaluation in evaluations(name):
            assert book_evaluator(load_game(name), evaluation).name == name
        own = type(book_evaluator(load_game(name))) is type(evaluator_for(load_game(name)))
        assert own == (name not in DEFAULTS)


def test_an_evaluation_for_another_game_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Chess has no evaluation 'fours' \(there are: material\)"):
        book_evaluator(load_game("chess"), "fours")
    with pytest.raises(ValueError, match=r"Nim has no evaluation 'fours' \(there are: none but its own\)"):
        book_evaluator(load_game("nim"), "fours")
