"""What a technique saves: two searches that differ in it alone, on trees that were counted by hand."""

from __future__ import annotations

import pytest

from tabiya.bots.textbook.recording.question import SearchQuestion
from tabiya.bots.textbook.techniques import Effect, effects
from tests.bots.textbook.trees import even_trees, uneven_trees

DEEP = "[5,[[[3,9],7],6]]"  # 5 at the root makes 9 needless, three plies below


def by_name(question: SearchQuestion) -> dict[str, Effect]:
    return {effect.technique.name: effect for effect in effects(question)}


def counts(effect: Effect) -> tuple[int | None, int | None]:
    return effect.applied.nodes, effect.left_out.nodes


def test_a_deep_cut_off_is_all_that_alphabeta_saves_in_this_tree() -> None:
    found = by_name(SearchQuestion(tree=DEEP))
    assert counts(found["window"]) == (8, 9)
    assert counts(found["deep cut-offs"]) == (8, 9)
    assert counts(found["equal bounds"]) == (8, 8)
    assert (found["window"].saved, found["equal bounds"].saved) == (1 - 8 / 9, 0)


def test_an_equal_bound_saves_the_last_leaf_here() -> None:
    found = by_name(SearchQuestion(tree="[[1,2],[1,2]]"))
    assert counts(found["equal bounds"]) == (6, 7)
    assert counts(found["deep cut-offs"]) == (7, 7)
    assert found["equal bounds"].says.endswith("only one that passes it (>): 14% of the nodes saved")


def test_null_windows_can_cost_nodes_and_are_listed_though_they_are_not_in_play() -> None:
    effect = by_name(SearchQuestion(tree="[[5,6],[7,8]]"))["null windows"]
    assert counts(effect) == (10, 7)
    assert not effect.technique.in_play
    assert effect.says.endswith("43% of the nodes added")
    assert by_name(SearchQuestion(tree="[[5,6],[7,8]]", algorithm="pvs-failhard"))["null windows"].technique.in_play


def test_the_best_move_first_leaves_the_fewest_leaves() -> None:
    effect = by_name(SearchQuestion(tree="001"))["order: perfect"]
    assert (effect.applied.leaves, effect.left_out.leaves) == (5, 7)
    worst = by_name(SearchQuestion(tree="001", order="worst"))["order: worst"]
    assert (worst.technique.in_play, worst.applied.leaves, worst.left_out.leaves) == (True, 9, 7)


def test_preclusion_is_for_values_of_1_and_0_alone() -> None:
    effect = by_name(SearchQuestion(tree="[[0,1],[1,1],[0,0]]", algorithm="preclusion"))["preclusion"]
    assert counts(effect) == (7, 10)
    assert "preclusion" not in by_name(SearchQuestion(tree="001"))


def test_a_search_that_is_impossible_without_a_technique_is_reported() -> None:
    effect = by_name(SearchQuestion(tree="000"))["window"]
    assert counts(effect) == (10, None)
    assert effect.saved is None
    assert effect.says.endswith("without it the search looked at node 8, a leaf whose value is not given")


def test_a_search_that_is_too_big_has_no_count() -> None:
    found = {effect.technique.name: effect for effect in effects(SearchQuestion(tree="001"), limit=12)}
    assert counts(found["window"]) == (11, None)
    assert found["window"].says.endswith("without it the search visits more than 12 nodes")


def test_minimax_has_no_technique_in_play() -> None:
    assert not [
        effect for effect in effects(SearchQuestion(tree="001", algorithm="minimax")) if effect.technique.in_play
    ]


def test_the_techniques_of_alphabeta_never_cost_a_node() -> None:
    """Theorems: more bounds, and bounds that cut sooner, cut more; the best order has the fewest leaves."""
    for tree in (*even_trees(20, most=4), *uneven_trees(20, most=4)):
        found = by_name(SearchQuestion(tree=str(tree), min_begins=tree.seat == 1))
        for name in ("window", "deep cut-offs", "equal bounds"):
            if name in found:
                assert (found[name].saved or 0) >= 0
                assert found[name].applied.value == found[name].left_out.value


@pytest.mark.slow
def test_twins_and_listings_agree_on_every_technique_of_a_game() -> None:
    question = SearchQuestion(game="tictactoe", moves="b2", depth=4, algorithm="pvs-failhard", order="killer", grain=50)
    compiled, printed = effects(question), effects(question, as_printed=True)
    assert compiled == printed
    in_play = [effect.technique.name for effect in compiled if effect.technique.in_play]
    assert in_play == ["window", "deep cut-offs", "equal bounds", "null windows", "order: killer", "granularity"]


@pytest.mark.slow
def test_a_technique_that_changes_the_value_says_so() -> None:
    defended = "4k3/8/2p5/3p4/8/8/8/3QK3 w - - 0 1"
    found = by_name(SearchQuestion(game="chess", position=defended, depth=1, evaluation="material"))
    assert found["quiescence"].says.endswith("5% of the nodes added, and the value is 700 instead of 800")
    assert not found["quiescence"].technique.in_play


@pytest.mark.slow
def test_a_window_that_was_given_is_a_technique_too() -> None:
    found = by_name(SearchQuestion(game="tictactoe", depth=3, alpha=-1, beta=1))
    assert counts(found["narrow window"])[0] is not None
    assert (found["narrow window"].saved or 0) > 0
