"""The formula against searches with the best move first, which reach it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import permutations, product

import pytest

from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.random_trees import best_first, ragged_tree, random_tree
from tabiya.bots.textbook.recording.minimum import Minimum, fewest_leaves, leaves_of_proof
from tabiya.bots.textbook.recording.recording import Recorder
from tabiya.bots.textbook.run_listing import run_listing
from tabiya.bots.textbook.tree import Tree, branch, leaf, numbered, parse_tree


def searched(tree: Tree, name: str = "alphabeta-failhard") -> tuple[Minimum, int]:
    recorder = Recorder()
    report = run_listing(find(name), tree, max(1, tree.height()), observers=[recorder])
    return fewest_leaves(recorder.recording(of_mover=True)), report.leaves


@pytest.mark.parametrize(("width", "depth"), [(2, 5), (3, 3), (3, 4), (5, 2), (4, 1)])
def test_the_best_move_first_everywhere_leaves_exactly_the_fewest(width: int, depth: int) -> None:
    tree = best_first(random_tree(random.Random(width), width, depth, most=10**6))
    minimum, leaves = searched(tree)
    assert minimum == Minimum(leaves, width, depth, True, True)
    assert searched(tree, "minimax")[0] == minimum


def test_a_tree_that_is_not_uniform_is_marked_as_such() -> None:
    minimum, _ = searched(parse_tree("[[1,2,3],[4,5]]"), "minimax")
    assert minimum == Minimum(4, 2.33, 2, False, False)  # 2.33 + 2.33 - 1
    assert not searched(parse_tree("[[1,2],3]"), "minimax")[0].is_uniform


def orders(tree: Tree) -> Iterator[Tree]:
    """The tree with its moves in every order."""
    if tree.over:
        yield leaf(tree.value)
        return
    for children in permutations(tree.children):
        for ordered in product(*(list(orders(child)) for child in children)):
            yield branch(ordered)


def test_in_any_tree_the_minimum_is_what_the_best_of_all_orders_leaves() -> None:
    draw = random.Random(11)
    for number in range(40):
        tree = ragged_tree(draw, 2 + number % 2, 3, most=6, seat=number % 2)
        if tree.size() > 12:
            continue
        fewest = min(searched(numbered(ordered, tree.seat), "alphabeta-failsoft")[1] for ordered in orders(tree))
        assert leaves_of_proof(tree) == fewest


def test_where_a_value_is_not_known_nothing_is_counted() -> None:
    assert leaves_of_proof(parse_tree("[[6,9],[[4,-2],null,null],[5,8]]")) is None
    assert leaves_of_proof(parse_tree("[[6,9],[4,null]]")) is None


def test_a_single_leaf_is_a_tree() -> None:
    assert searched(parse_tree("7")) == (Minimum(1, 0.0, 0, True, True), 1)
