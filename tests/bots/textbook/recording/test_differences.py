"""Comparisons of searches against sets of ways, collected without the recordings."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from tabiya.bots.textbook.board import Board
from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.examples import EXAMPLES
from tabiya.bots.textbook.node import Node
from tabiya.bots.textbook.order import Guess
from tabiya.bots.textbook.random_trees import random_tree
from tabiya.bots.textbook.recording.differences import Comparison, compare
from tabiya.bots.textbook.recording.recording import Recorder, Recording
from tabiya.bots.textbook.run_listing import PLAIN_SETUP, SearchSetup, run_listing
from tests.bots.textbook.boards import leaf_evaluator_for, positions


class Ways:
    """An observer: the way to each node that is visited, as often as it is."""

    def __init__(self) -> None:
        self.ways: list[tuple[str, ...]] = []
        self._open: list[str] = []

    def enter(self, node: Node, alpha: int, beta: int) -> None:
        self._open.append(node.move)
        self.ways.append(tuple(self._open[1:]))

    def leave(self, node: Node, value: int) -> None:
        self._open.pop()

    def cut(self, node: Node, move: str, left: Sequence[str]) -> None: ...


def searched(name: str, node: Node, depth: int, setup: SearchSetup = PLAIN_SETUP) -> tuple[Recording, Ways]:
    listing, recorder, ways = find(name), Recorder(), Ways()
    run_listing(listing, node, depth, setup, observers=[recorder, ways])
    return recorder.recording(of_mover=listing.of_mover), ways


def assert_right(compared: Comparison, first: Ways, second: Ways) -> None:
    nodes = set(first.ways), set(second.ways)
    assert compared.both == len(nodes[0] & nodes[1])
    assert compared.only == (len(nodes[0] - nodes[1]), len(nodes[1] - nodes[0]))
    assert compared.again == (len(first.ways) - len(nodes[0]), len(second.ways) - len(nodes[1]))
    for part in compared.parts:
        below = [way for way in nodes[part.by] - nodes[1 - part.by] if way[: len(part.way)] == part.way]
        assert len(below) == part.nodes
        assert (first, second)[part.by].ways[part.visit] == part.way
        assert (second, first)[part.by].ways[part.parent] == part.way[:-1]


@pytest.mark.parametrize("names", [
    ("minimax", "alphabeta-failhard"), ("alphabeta-failsoft", "alphabeta-printed"),
    ("alphabeta-failhard", "pvs-failhard"), ("000-alphabeta-strict", "000-alphabeta"), ("001-alphabetapvs", "002-ab"),
])  # fmt: skip
def test_what_both_and_what_one_visited_in_random_trees(names: tuple[str, str]) -> None:
    draw = random.Random(31)
    for most in (3, 100):
        tree = random_tree(draw, 3, 5, most)
        (first, one), (second, other) = (searched(name, tree, 5) for name in names)
        assert_right(compare(first, second, names), one, other)


def test_so_it_is_for_two_orders_of_the_same_search_of_a_game() -> None:
    board = Board(positions("reversi")[0], leaf_evaluator_for("reversi"))
    first, one = searched("pvs-failhard", board, 3)
    second, other = searched("pvs-failhard", board, 3, SearchSetup(Guess.EVALUATION))
    compared = compare(first, second, ("as generated", "by evaluation"))
    assert_right(compared, one, other)
    assert any("tried" in part.why and part.why.endswith("later") for part in compared.parts)


def why(first: str, second: str, tree: str) -> list[str]:
    node = EXAMPLES[tree].tree()
    one, two = (searched(name, node, node.height())[0] for name in (first, second))
    return [f"{' '.join(part.way)}: {part.why}" for part in compare(one, two, (first, second)).parts]


def test_a_cut_is_explained_by_the_value_and_the_window_that_made_it() -> None:
    assert why("minimax", "alphabeta-failhard", "001") == [
        f"3 {move}: alphabeta-failhard cut at 3 after 1 (value -3, window [0, inf]; minimax had [-inf, inf])"
        for move in (2, 3)
    ]


def test_a_search_that_looks_no_further_says_so() -> None:
    board = Board(positions("reversi")[0], leaf_evaluator_for("reversi"))
    deep, shallow = (searched("minimax", board, depth)[0] for depth in (2, 1))
    part = compare(deep, shallow, ("two plies", "one ply")).parts[0]
    assert (part.by, part.why) == (0, f"one ply took the value of {part.way[0]} as it stands and looked no further")


def test_equal_searches_differ_in_nothing() -> None:
    recording, _ = searched("minimax", EXAMPLES["001"].tree(), 2)
    assert compare(recording, recording, ("one", "other")) == Comparison(13, (0, 0), (0, 0), ())
