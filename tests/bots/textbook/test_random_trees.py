from __future__ import annotations

import random

import pytest

from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.random_trees import (
    best_first,
    exact,
    hopeless_tree,
    mostly_best_first,
    ragged_tree,
    random_tree,
    worst_first,
)
from tabiya.bots.textbook.run_listing import run_listing
from tabiya.bots.textbook.tree import Tree, parse_tree
from tests.bots.textbook.trees import SEED, even_trees


def leaves_visited(tree: Tree, name: str = "alphabeta-failsoft") -> int:
    return run_listing(find(name), tree, tree.height()).leaves


def test_random_trees_are_fixed_by_their_seed() -> None:
    assert str(random_tree(random.Random(1), 3, 2)) == str(random_tree(random.Random(1), 3, 2))
    tree = random_tree(random.Random(2), 3, 4, most=5)
    assert (tree.leaves(), tree.height(), tree.is_even()) == (81, 4, True)
    assert not all(ragged_tree(random.Random(seed), 3, 4).is_even() for seed in range(10))


@pytest.mark.parametrize(("width", "depth"), [(2, 1), (2, 4), (3, 3), (4, 4), (2, 7)])
def test_best_first_alphabeta_visits_exactly_the_fewest_leaves(width: int, depth: int) -> None:
    draw = random.Random(SEED)
    for seat in (0, 1):
        tree = best_first(random_tree(draw, width, depth, seat=seat))
        assert leaves_visited(tree) == width ** -(-depth // 2) + width ** (depth // 2) - 1


def test_worst_first_nothing_is_gained_down_to_three_plies_if_values_differ() -> None:
    draw = random.Random(SEED)
    for depth in (1, 2, 3):
        tree = worst_first(random_tree(draw, 4, depth, most=900_000))
        assert leaves_visited(tree) == 4**depth


def test_worst_first_deep_cut_offs_remain_from_four_plies_on() -> None:
    visited = [leaves_visited(worst_first(random_tree(random.Random(seed), 4, 4, 900_000))) for seed in range(6)]
    assert visited == [249, 247, 245, 251, 236, 250]


@pytest.mark.parametrize(("width", "depth"), [(2, 6), (3, 4), (4, 5)])
def test_in_a_hopeless_tree_alphabeta_visits_every_leaf(width: int, depth: int) -> None:
    tree = hopeless_tree(width, depth)
    assert leaves_visited(tree) == leaves_visited(tree, "alphabeta-failhard") == width**depth
    assert len(set(str(tree).replace("]", "").replace("[", "").split(","))) == width**depth


def test_reordering_keeps_the_value_and_the_leaves() -> None:
    draw = random.Random(SEED)
    for tree in even_trees(30):
        for other in (best_first(tree), worst_first(tree), mostly_best_first(tree, 0.5, draw)):
            assert exact(other) == exact(tree)
            assert (other.leaves(), other.seat) == (tree.leaves(), tree.seat)


def test_mostly_best_first_lies_between() -> None:
    draw = random.Random(SEED)
    tree = random_tree(draw, 4, 5)
    assert leaves_visited(mostly_best_first(tree, 1.0, draw)) == leaves_visited(best_first(tree))
    assert str(mostly_best_first(tree, 0.0, random.Random(1))) == str(mostly_best_first(tree, 0.0, random.Random(1)))


def test_exact_is_minimax_written_otherwise() -> None:
    assert exact(parse_tree("[[9,8,7],[6,5,4]]")) == 7
    assert exact(parse_tree("[[9,8,7],[6,5,4]]", seat=1)) == 6
