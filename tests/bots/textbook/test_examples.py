"""The worked examples of the books, to the node: who is visited, with which window, who is cut."""

from __future__ import annotations

import pytest

from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.examples import EXAMPLES
from tabiya.bots.textbook.node import INFINITY
from tabiya.bots.textbook.random_trees import best_first, worst_first
from tabiya.bots.textbook.run_listing import run_listing
from tabiya.bots.textbook.tree import TreeError
from tests.bots.textbook.trees import WINDOWED, seen

I = INFINITY  # noqa: E741 - as the texts write it
ALPHABETAS = pytest.mark.parametrize(
    "name", [listing.name for listing in WINDOWED if not listing.null_windows and listing.tests_ends]
)


@ALPHABETAS
def test_000_b_is_6_and_c_at_most_4_so_f_and_g_are_never_visited(name: str) -> None:
    found = seen(find(name), EXAMPLES["000"].tree())
    labels = EXAMPLES["000"].labels
    called = [labels.get(number, f"#{number}") for number in found.visited]
    assert called == ["A", "B", "#2", "#3", "C", "E", "#6", "#7", "D", "#11"]
    assert [labels[number] for number in found.left[4]] == ["F", "G"]


def test_000_the_windows_and_values_are_those_of_the_text() -> None:
    found = seen(find("000-alphabeta"), EXAMPLES["000"].tree())
    assert found.windows[1] == (-I, I)
    assert found.values[1] == 6
    assert found.windows[4] == found.windows[5] == (6, I)
    assert (found.values[5], found.values[4], found.values[0]) == (4, 4, 6)
    assert found.left == {4: [8, 9], 10: [12]}


def test_000_minimax_fails_at_f_whose_value_is_unknown() -> None:
    with pytest.raises(TreeError, match="node 8"):
        find("000-minimax").search(EXAMPLES["000"].tree(), 3)


@ALPHABETAS
def test_001_after_node_10_nodes_11_and_12_are_skipped(name: str) -> None:
    found = seen(find(name), EXAMPLES["001"].tree())
    assert found.visited == list(range(11))
    assert found.left == {9: [11, 12]}


def test_001_minimax_visits_the_nodes_in_the_order_of_their_numbers() -> None:
    found = seen(find("001-minimax"), EXAMPLES["001"].tree())
    assert found.visited == list(range(13))
    assert found.values == {0: 0, 1: 8, 2: -4, 3: 5, 4: -8, 5: 0, 6: 4, 7: 0, 8: 9, 9: 3, 10: -3, 11: 6, 12: 2}


def test_001_the_windows_are_negated_and_change_places_on_the_way_down() -> None:
    found = seen(find("001-alphabeta"), EXAMPLES["001"].tree())
    assert found.windows[0] == found.windows[1] == found.windows[2] == (-I, I)
    assert found.windows[3] == found.windows[4] == (-I, -4)  # node 1 has 4 for its mover: node 2 is worth -4
    assert found.windows[5] == (-I, 8)
    assert found.windows[6] == (-8, I)
    assert found.windows[7] == (-8, 4)
    assert found.windows[8] == (-8, 0)
    assert found.windows[9] == (-I, 0)
    assert found.windows[10] == (0, I)
    assert (found.values[10], found.values[9]) == (-3, 0)  # fail-hard: node 9 is worth 3, "at least 0" is all it says


@ALPHABETAS
def test_001_perfectly_sorted_the_fewest_leaves_are_visited(name: str) -> None:
    found = seen(find(name), EXAMPLES["001-sorted"].tree())
    assert [number for number in found.visited if number not in (0, 1, 5, 9)] == [2, 3, 4, 6, 10]
    assert found.left == {5: [7, 8], 9: [11, 12]}
    assert len([2, 3, 4, 6, 10]) == 3**1 + 3**1 - 1


@ALPHABETAS
def test_001_with_the_best_move_last_nothing_is_gained(name: str) -> None:
    found = seen(find(name), EXAMPLES["001-worst"].tree())
    assert found.visited == list(range(13))
    assert found.left == {}


def test_001_the_sorted_trees_are_the_first_one_in_other_orders() -> None:
    tree = EXAMPLES["001"].tree()
    assert str(best_first(tree)) == str(EXAMPLES["001-sorted"].tree())
    assert str(worst_first(tree)) == str(EXAMPLES["001-worst"].tree())


def test_002_r_is_searched_with_10_to_infinity_and_t_is_never_called() -> None:
    found = seen(find("002-maxab-minab"), EXAMPLES["002"].tree())
    assert found.visited == [0, 1, 2, 3]  # P, Q, R, S
    assert found.windows == {0: (-I, I), 1: (-I, I), 2: (10, I), 3: (10, I)}
    assert found.values[1] == 10
    assert found.values[3] <= 10
    assert found.values[2] <= 10
    assert found.values[0] == 10
    assert found.left == {2: [4]}


@ALPHABETAS
def test_002_no_alphabeta_calls_t(name: str) -> None:
    assert seen(find(name), EXAMPLES["002"].tree()).visited == [0, 1, 2, 3]


@ALPHABETAS
def test_004_nodes_5_and_4_and_2_and_1_are_not_looked_at(name: str) -> None:
    tree = EXAMPLES["004"].tree()
    found = seen(find(name), tree)
    leaves = [tree.play(a).play(b) for a in "123" for b in "123"]
    assert [leaf.value for leaf in leaves if leaf.number not in found.visited] == [5, 4, 2, 1]


def test_004_minimax_gives_the_value_with_all_its_moves() -> None:
    report = run_listing(find("004-minimax"), EXAMPLES["004"].tree(), 2)
    assert (report.value, report.line, report.leaves) == (7, ("1", "3"), 9)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_a_tree_with_labels_that_exist(name: str) -> None:
    example = EXAMPLES[name]
    tree = example.tree()
    assert tree.seat == 0
    assert all(0 <= number < tree.size() for number in example.labels)
    assert example.name == name
