"""Every answer on the sheets of many seeds, against searches written without the listings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tabiya.bots.textbook.exercises.kinds import KINDS
from tabiya.bots.textbook.exercises.sheet import Exercise, sheet
from tests.bots.textbook.exercises.plain_search import INF, Walk, best_first, leaves, minimax, numbered

SEEDS = range(12)
SHEETS = [exercise for seed in SEEDS for exercise in sheet(seed, len(KINDS))]


def of(title: str) -> Iterator[tuple[Exercise, Any, bool, list[str]]]:
    """Exercises of a kind with their tree, whether Max begins, and the answers."""
    found = [exercise for exercise in SHEETS if exercise.title == title]
    assert len(found) == len(SEEDS)
    for exercise in found:
        begins = not exercise.search.min_begins
        yield exercise, json.loads(exercise.search.tree), begins, [part.answer for part in exercise.parts]


def text(value: int) -> str:
    return {INF: "inf", -INF: "-inf"}.get(value, str(value))


def listed(values: list[int]) -> str:
    return ", ".join(map(str, values))


def test_minimax_values_of_all_inner_nodes_and_the_one_best_move() -> None:
    for exercise, tree, begins, answers in of("Minimax values"):
        inner = [(f"#{number}", str(minimax(node, turn))) for number, node, turn in numbered(tree, begins)
                 if isinstance(node, list)]  # fmt: skip
        assert [tuple(part) for part in exercise.parts[:-1]] == inner
        children = {number: minimax(node, turn) for number, node, turn in numbered(tree, begins)}
        numbers, at = [], 1
        for child in tree:
            numbers.append(at)
            at += len(numbered(child, True))
        best = [f"#{number}" for number in numbers if children[number] == minimax(tree, begins)]
        assert best == [answers[-1]]


@pytest.mark.parametrize("hard", [False, True])
def test_leaves_that_alpha_beta_never_looks_at_are_the_same_in_both_forms(hard: bool) -> None:
    for _, tree, begins, answers in of("What alpha-beta never looks at"):
        walk = Walk(hard)
        assert walk.search(tree, begins) == minimax(tree, begins)
        seen = walk.seen(tree)
        assert answers == [listed([leaf for leaf in leaves(tree) if leaf not in seen]), str(len(seen))]


def test_alpha_and_beta_at_the_nodes_asked_for() -> None:
    for exercise, tree, begins, answers in of("Alpha and beta on the way"):
        walk = Walk()
        walk.search(tree, begins)
        windows = {number: (low, high) for number, low, high in walk.entered}
        asked = [int(part.asked.rpartition("#")[2]) for part in exercise.parts[::2]]
        assert answers == [text(bound) for node in asked for bound in windows[node]]
        assert sorted(sum(abs(bound) < INF for bound in windows[node]) for node in asked) == [1, 2]


def test_the_order_that_cuts_most_and_the_formula() -> None:
    for exercise, tree, begins, answers in of("The order that cuts most"):
        drawn, best = Walk(), Walk()
        drawn.search(tree, begins)
        ordered = best_first(tree, begins)
        best.search(ordered, begins)
        seen = best.seen(ordered)
        width, depth = len(tree), exercise.tree.height()
        formula = width ** -(-depth // 2) + width ** (depth // 2) - 1
        assert answers == [
            str(len(drawn.seen(tree))),
            listed(leaves(ordered)),
            listed([leaf for leaf in leaves(ordered) if leaf not in seen]),
            str(formula),
        ]
        assert len(seen) == formula < len(drawn.seen(tree))
        assert f"b = {width} moves and d = {depth} plies" in exercise.parts[3].asked
        for _, node, turn in numbered(tree, begins):
            values = [minimax(child, not turn) for child in node] if isinstance(node, list) else []
            assert len(set(values)) == len(values)  # so that there is one order


def test_a_narrow_window_is_answered_by_both_forms_and_what_they_prove_is_true() -> None:
    for exercise, tree, begins, answers in of("A narrow window"):
        assert begins
        low, high = exercise.search.alpha, exercise.search.beta
        soft, hard = (Walk(hard).search(tree, begins, low, high) for hard in (False, True))
        value = minimax(tree, begins)
        side = "at most" if value <= low else "at least"
        assert answers == [str(soft), str(hard), f"{side} {soft}", f"{side} {hard}"]
        assert value <= soft < hard == low if side == "at most" else value >= soft > hard == high
        assert f"alpha = {low} and beta = {high}" in exercise.task


def test_one_node_is_searched_again_by_principal_variation_search() -> None:
    for _, tree, begins, answers in of("Searched again"):
        walk = Walk(hard=True, null_windows=True)
        assert walk.search(tree, begins) == minimax(tree, begins)
        visits: dict[int, list[tuple[int, int]]] = {}
        for number, low, high in walk.entered:
            visits.setdefault(number, []).append((low, high))
        below_again = {number: windows for number, windows in visits.items() if len(windows) > 1}
        node = min(below_again)  # what is below it is visited twice, too
        first, second = below_again[node]
        windows = [", ".join(map(text, window)) for window in (first, second)]
        assert answers == [f"#{node}", *windows, str(minimax(tree, begins))]
        size = next(len(numbered(each, True)) for number, each, _ in numbered(tree, begins) if number == node)
        assert set(below_again) <= set(range(node, node + size))


def test_leaves_differ_so_that_it_does_not_matter_whether_equal_bounds_cut() -> None:
    for exercise in SHEETS:
        found = leaves(json.loads(exercise.search.tree))
        assert len(set(found)) == len(found)
