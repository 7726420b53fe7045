"""Orders of moves on drawn trees; on positions see test_board.py and the twins."""

from __future__ import annotations

import random

import pytest

from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.order import Guess, Ordered, Ordering, Sorting
from tabiya.bots.textbook.random_trees import exact, random_tree
from tabiya.bots.textbook.run_listing import SearchSetup, run_listing
from tabiya.bots.textbook.tree import TreeError, parse_tree
from tests.bots.textbook.trees import SEED, even_trees

MOVES = ("a", "b", "c", "d", "e")
SCORES = (1, 3, 2, 3, 0)


def test_sorted_fully_the_best_come_first_and_equals_keep_their_order() -> None:
    assert list(Sorting().order(MOVES, SCORES)) == ["b", "d", "c", "a", "e"]


def test_from_a_heap_the_order_is_the_same() -> None:
    draw = random.Random(SEED)
    for _ in range(50):
        scores = [draw.randint(0, 4) for _ in MOVES]
        assert list(Sorting(heap=True).order(MOVES, scores)) == list(Sorting().order(MOVES, scores))


def test_only_the_best_few_come_to_the_front() -> None:
    assert list(Sorting(best=1).order(MOVES, SCORES)) == ["b", "a", "c", "d", "e"]
    assert list(Sorting(best=3).order(MOVES, SCORES)) == ["b", "d", "c", "a", "e"]
    assert list(Sorting(best=9).order(MOVES, SCORES)) == ["b", "d", "c", "a", "e"]


@pytest.mark.parametrize(("best", "heap"), [(-1, False), (3, True)])
def test_a_sorting_that_means_nothing_is_refused(best: int, heap: bool) -> None:
    with pytest.raises(ValueError, match="a sorting takes"):
        Sorting(best, heap)


def test_no_order_leaves_the_moves_as_they_are() -> None:
    tree = parse_tree("[[1],[2],[3]]")
    assert list(Ordered(tree, Ordering()).moves()) == ["1", "2", "3"]


def test_by_evaluation_the_best_leaf_for_the_mover_comes_first() -> None:
    ordering = Ordering(Guess.EVALUATION)
    assert list(Ordered(parse_tree("[1,5,3]"), ordering).moves()) == ["2", "3", "1"]
    assert list(Ordered(parse_tree("[1,5,3]", seat=1), ordering).moves()) == ["1", "3", "2"]


def test_inner_nodes_of_a_drawn_tree_have_no_evaluation_to_sort_by() -> None:
    with pytest.raises(TreeError, match="search deeper"):
        Ordered(parse_tree("[[1],[2]]"), Ordering(Guess.EVALUATION)).moves()


def test_a_drawn_tree_has_no_captures() -> None:
    assert list(Ordered(parse_tree("[[1],[2]]"), Ordering(Guess.CAPTURES)).moves()) == ["1", "2"]


def test_killers_are_the_last_two_moves_that_cut_at_the_same_ply() -> None:
    ordering, tree = Ordering(Guess.KILLER, depth=3), parse_tree("[[1,2,3,4]]")
    node, root = tree.play("1"), tree
    ordering.cut(node, "3", ("4",))
    ordering.cut(node, "3", ("4",))
    assert ordering.scores(Ordered(node, ordering), node.moves()) == [0, 0, 1, 0]
    ordering.cut(node, "2", ("3", "4"))
    assert ordering.scores(Ordered(node, ordering), node.moves()) == [0, 2, 1, 0]
    ordering.cut(node, "4", ())
    assert ordering.scores(Ordered(node, ordering), node.moves()) == [0, 1, 0, 2]
    ordering.cut(node, "2", ())
    assert ordering.scores(Ordered(node, ordering), node.moves()) == [0, 2, 0, 1]
    assert ordering.scores(Ordered(root, ordering), ("1", "2")) == [0, 0]


def test_history_adds_the_square_of_the_depth_left_for_each_seat() -> None:
    ordering, tree = Ordering(Guess.HISTORY, depth=3), parse_tree("[[[1,2],[3]],[[4]]]")
    ordering.cut(tree, "2", ())
    ordering.cut(tree.play("1"), "1", ("2",))
    ordering.cut(tree.play("1").play("1"), "1", ("2",))
    assert ordering.scores(Ordered(tree, ordering), ("1", "2")) == [1, 9]
    assert ordering.scores(Ordered(tree.play("1"), ordering), ("1", "2")) == [4, 0]


def test_the_last_iterations_line_comes_first_on_its_own_path_only() -> None:
    ordering, tree = Ordering(Guess.ITERATION, line=("2", "1")), parse_tree("[[1,2],[3,4],[5]]")
    root = Ordered(tree, ordering)
    assert list(root.moves()) == ["2", "1", "3"]
    assert list(root.play("2").moves()) == ["1", "2"]
    ordering.line = ("1", "2")
    assert list(root.play("1").moves()) == ["2", "1"]
    assert list(root.play("2").moves()) == ["1", "2"]
    assert list(root.play("1").play("2").moves()) == []


@pytest.mark.parametrize("guess", [Guess.NONE, Guess.CAPTURES, Guess.KILLER, Guess.HISTORY])
@pytest.mark.parametrize("sorting", [Sorting(), Sorting(heap=True), Sorting(best=2)], ids=["full", "heap", "best-2"])
@pytest.mark.parametrize("name", ["alphabeta-failsoft", "alphabeta-failhard", "pvs-failhard", "alphabeta-printed"])
def test_no_order_changes_the_value(name: str, guess: Guess, sorting: Sorting) -> None:
    for tree in even_trees(25):
        report = run_listing(find(name), tree, tree.height(), SearchSetup(guess, sorting))
        assert report.value == (exact(tree) if tree.seat == 0 else -exact(tree))


def test_a_heap_and_a_full_sort_visit_the_same_nodes() -> None:
    tree = random_tree(random.Random(SEED), 4, 5)
    for guess in (Guess.KILLER, Guess.HISTORY):
        full, heap = (
            run_listing(find("alphabeta-failsoft"), tree, 5, SearchSetup(guess, sorting))
            for sorting in (Sorting(), Sorting(heap=True))
        )
        assert (full.nodes, full.cuts) == (heap.nodes, heap.cuts)


def test_everything_but_the_order_of_a_node_stays_as_it_was() -> None:
    tree = parse_tree("[[7],5]", seat=1)
    ordered = Ordered(tree, Ordering())
    leaf = ordered.play("2")
    assert (ordered.seat, ordered.over, ordered.ply, ordered.move) == (1, False, 0, "")
    assert (leaf.seat, leaf.over, leaf.ply, leaf.move) == (0, True, 1, "2")
    assert (leaf.analysis(), leaf.eval(), leaf.estimate(), leaf.captures()) == (5, 5, 5, ())
    assert ordered.gain("2") == -5
