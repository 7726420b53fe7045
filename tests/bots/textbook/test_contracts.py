"""What each listing promises, on many random trees and for both seats at the root."""

from __future__ import annotations

import random

import pytest

from tabiya.bots.textbook.catalogue import Fail, Horizon, Listing, find
from tabiya.bots.textbook.node import INFINITY
from tabiya.bots.textbook.observers import Counter
from tabiya.bots.textbook.random_trees import exact, random_tree
from tabiya.bots.textbook.run_listing import best_moves, run_listing
from tabiya.bots.textbook.tree import Tree, parse_tree
from tests.bots.textbook.endless import Endless, value_at
from tests.bots.textbook.trees import (
    EXHAUSTIVE,
    GENERAL,
    SEED,
    WINDOWED,
    even_trees,
    seen,
    uneven_trees,
    windows,
)


def named(listings: tuple[Listing, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("listing", listings, ids=lambda listing: listing.name)


def value_for_mover(tree: Tree) -> int:
    return exact(tree) if tree.seat == 0 else -exact(tree)


@named(GENERAL)
def test_with_the_full_window_every_listing_returns_the_minimax_value(listing: Listing) -> None:
    for tree in even_trees(120):
        assert listing.search(tree, tree.height()) == value_for_mover(tree), tree


@named(tuple(listing for listing in GENERAL if listing.tests_ends))
def test_listings_that_test_for_the_end_do_so_on_trees_of_any_shape(listing: Listing) -> None:
    for tree in uneven_trees(120):
        assert listing.search(tree, tree.height()) == value_for_mover(tree), tree


@named(tuple(listing for listing in GENERAL if not listing.tests_ends))
def test_listings_that_do_not_test_take_a_side_without_moves_for_lost(listing: Listing) -> None:
    for seat in (0, 1):
        drawn = parse_tree("[[0],0]", seat)  # the second move ends the game: a draw, say by stalemate
        assert listing.search(drawn, 2) == INFINITY
        assert find("minimax").search(drawn, 2) == 0


@named(WINDOWED)
def test_the_windows_theorem_holds(listing: Listing) -> None:
    draw = random.Random(SEED)
    for tree in even_trees(200):
        alpha, beta = windows(draw)
        found, value = listing.search(tree, tree.height(), alpha, beta), value_for_mover(tree)
        if found <= alpha:
            assert value <= alpha, (tree, alpha, beta)
        elif found >= beta:
            assert value >= beta, (tree, alpha, beta)
        else:
            assert value == found, (tree, alpha, beta)


@named(tuple(listing for listing in WINDOWED if listing.fail is Fail.HARD))
def test_fail_hard_never_returns_what_is_outside_the_window(listing: Listing) -> None:
    draw = random.Random(SEED)
    for tree in even_trees(200):
        alpha, beta = windows(draw)
        value = value_for_mover(tree)
        assert listing.search(tree, tree.height(), alpha, beta) == max(alpha, min(beta, value)), (tree, alpha, beta)


@named(tuple(listing for listing in WINDOWED if listing.fail is Fail.SOFT))
def test_fail_soft_returns_a_bound_that_some_leaf_has(listing: Listing) -> None:
    draw = random.Random(SEED)
    outside = 0
    for tree in even_trees(200):
        alpha, beta = windows(draw)
        found, value = listing.search(tree, tree.height(), alpha, beta), value_for_mover(tree)
        assert found in leaf_values(tree)
        outside += found < alpha or found > beta
        assert value <= found if found <= alpha else value >= found
    assert outside > 50


@named(tuple(listing for listing in WINDOWED if listing.fail is Fail.BOUND))
def test_002_returns_alpha_from_below_and_the_best_seen_from_above(listing: Listing) -> None:
    draw = random.Random(SEED)
    above = 0
    for tree in even_trees(200):
        alpha, beta = windows(draw)
        found = listing.search(tree, tree.height(), alpha, beta)
        assert found >= alpha
        above += found > beta
        if found not in (alpha, beta):
            assert found in leaf_values(tree)
    assert above > 20


@named(tuple(listing for listing in WINDOWED if listing.fail is Fail.BOUND))
def test_002_a_terminal_position_returns_its_value_whatever_the_window(listing: Listing) -> None:
    for value in (-9, 3, 9):
        assert listing.search(parse_tree(str(value)), 0, 1, 5) == value


@named(tuple(listing for listing in WINDOWED if listing.fail is Fail.BOUND))
def test_002_with_the_full_window_every_returned_value_is_the_value_of_some_leaf(listing: Listing) -> None:
    for tree in even_trees(60):
        leaves = leaf_values(tree) | {-value for value in leaf_values(tree)}
        assert set(seen(listing, tree).values.values()) <= leaves


def leaf_values(tree: Tree) -> set[int]:
    """The values of all leaves, for the side to move at the root of the whole tree."""
    sign = 1 if tree.seat == 0 else -1

    def below(node: Tree) -> set[int]:
        return set().union(*map(below, node.children)) if node.children else {sign * node.analysis()}

    return below(tree)


def test_the_three_contracts_return_different_numbers_for_narrow_windows() -> None:
    draw, different = random.Random(SEED), 0
    for _ in range(300):
        tree = random_tree(draw, 3, 4, 20)
        alpha, beta = windows(draw)
        returned = {
            find(name).search(tree, 4, alpha, beta)
            for name in ("alphabeta-failsoft", "alphabeta-failhard", "alphabeta-theorem")
        }
        different += len(returned) > 1
    assert different == 198


@named(EXHAUSTIVE)
def test_minimax_visits_every_node_in_the_order_of_their_numbers(listing: Listing) -> None:
    for tree in even_trees(40):
        report = run_listing(listing, tree, tree.height())
        assert (report.nodes, report.leaves, report.cuts, report.unseen) == (tree.size(), tree.leaves(), 0, 0)
        assert seen(listing, tree).visited == list(range(tree.size()))


@named(tuple(listing for listing in WINDOWED if not listing.null_windows))
def test_alphabeta_visits_each_node_at_most_once_and_counts_what_it_leaves_out(listing: Listing) -> None:
    for tree in even_trees(100):
        found = seen(listing, tree)
        assert len(set(found.visited)) == len(found.visited)
        left = [number for numbers in found.left.values() for number in numbers]
        assert not set(left) & set(found.visited)
        report = run_listing(listing, tree, tree.height())
        assert (report.cuts, report.unseen, report.researches) == (len(found.left), len(left), 0)


def test_all_alphabetas_but_the_printed_and_the_strict_visit_the_same_nodes() -> None:
    same = ("000-alphabeta", "001-alphabeta", "001-alphabeta-checked", "002-maxab-minab", "002-ab")
    for tree in even_trees(100):
        expected = seen(find("000-negamax-alphabeta"), tree).visited
        for name in (*same, "004-alphabeta-corrected"):
            assert seen(find(name), tree).visited == expected, (name, tree)


def test_strict_cuts_nothing_more_and_misses_equal_bounds() -> None:
    more = 0
    for tree in even_trees(200, most=4):
        usual, strict = seen(find("alphabeta-failsoft"), tree), seen(find("alphabeta-strict"), tree)
        assert set(usual.visited) <= set(strict.visited)
        more += len(strict.visited) > len(usual.visited)
    assert more > 50


def test_strict_and_usual_cut_differ_on_the_smallest_tree_with_equal_values() -> None:
    for seat in (0, 1):
        tree = parse_tree("[[1,2],[1,2]]" if seat == 0 else "[[2,1],[2,1]]", seat)
        assert seen(find("alphabeta-failsoft"), tree).left == {4: [6]}
        assert seen(find("alphabeta-strict"), tree).left == {}


def test_004_as_printed_has_no_deep_cut_off() -> None:
    # the 5 at the root cuts three plies below it, at node 4, once that is worth at most 3
    tree = parse_tree("[5,[[[3,9],7],6]]")
    assert seen(find("alphabeta-failsoft"), tree).left == {4: [6]}
    assert seen(find("004-alphabeta-printed"), tree).left == {}
    assert find("004-alphabeta-printed").search(tree, 4) == find("004-alphabeta-corrected").search(tree, 4) == 6


def test_004_as_printed_visits_more_leaves_than_corrected_on_deep_trees() -> None:
    draw, printed, corrected = random.Random(SEED), 0, 0
    for _ in range(10):
        tree = random_tree(draw, 4, 6)
        printed += run_listing(find("004-alphabeta-printed"), tree, 6).leaves
        corrected += run_listing(find("004-alphabeta-corrected"), tree, 6).leaves
    assert (printed, corrected) == (13592, 8716)


def test_preclusion_returns_the_value_where_all_values_are_minus_1_0_or_1() -> None:
    fewer = 0
    for tree in uneven_trees(200, most=1):
        precluded, whole = run_listing(find("preclusion"), tree, 9), run_listing(find("002-negamax"), tree, 9)
        assert precluded.value == whole.value == value_for_mover(tree)
        assert precluded.nodes <= whole.nodes
        fewer += precluded.nodes < whole.nodes
    assert fewer > 100


def test_preclusion_stops_at_the_first_winning_move_only() -> None:
    assert seen(find("preclusion"), parse_tree("[0,1,-1]")).visited == [0, 1, 2]
    assert seen(find("preclusion"), parse_tree("[0,-1,1]", seat=1)).visited == [0, 1, 2]


def test_the_move_limit_of_000_looks_one_ply_further_than_the_depth_of_001() -> None:
    from tabiya.bots.textbook.text_000.minimax import BlueValue
    from tabiya.bots.textbook.text_001.minimax import minimax

    tree = parse_tree("[[9,8],[6,5]]")
    assert BlueValue(tree, 0, MaxDepth=1) == minimax(tree, 2) == 8


def test_003_minmax_begins_with_the_side_to_move() -> None:
    from tabiya.bots.textbook.text_003.minmax import Max, Min, MinMax

    assert MinMax(parse_tree("[3,5]"), 1) == Max(parse_tree("[3,5]"), 1) == 5
    assert MinMax(parse_tree("[3,5]", seat=1), 1) == Min(parse_tree("[3,5]", seat=1), 1) == 3


def test_001_the_triangular_array_holds_the_line_up_to_its_length_exclusively() -> None:
    from tabiya.bots.textbook.text_001.triangular import minimax

    for tree in even_trees(60):
        depth = tree.height()
        array: dict[int, dict[int, str]] = {ply: {} for ply in range(depth + 2)}
        length: dict[int, int] = {}
        value = minimax(tree, 0, depth, array, length)
        line = [array[0][at] for at in range(length[0])]
        assert length[0] == depth == len(line)
        assert tuple(line) == run_listing(find("minimax"), tree, depth).line
        end = tree
        for move in line:
            end = end.play(move)
        assert value == value_for_mover(tree) == (1 if tree.seat == end.seat else -1) * end.eval()


@named(GENERAL)
def test_the_line_leads_to_the_value_and_its_first_move_is_among_the_best(listing: Listing) -> None:
    for tree in even_trees(60):
        report = run_listing(listing, tree, tree.height())
        end = tree
        for move in report.line:
            end = end.play(move)
        assert end.over
        assert end.analysis() == exact(tree)
        assert report.move in best_moves(listing, tree, tree.height())


@named(GENERAL)
def test_all_best_moves_are_found_and_no_other(listing: Listing) -> None:
    for tree in even_trees(40, most=3):
        expected = tuple(child.move for child in tree.children if exact(child) == exact(tree))
        assert best_moves(listing, tree, tree.height()) == expected


@named(WINDOWED)
def test_counting_changes_nothing(listing: Listing) -> None:
    draw = random.Random(SEED)
    for tree in even_trees(60):
        window = windows(draw)
        alone = listing.search(tree, tree.height(), *window)
        assert alone == listing.search(tree, tree.height(), *window, observer=Counter())


def test_pvs_searches_again_exactly_what_came_back_inside_the_window() -> None:
    tree = parse_tree("[[5,6],[7,8]]")  # the second move is better: its null window fails
    counter = Counter()
    assert find("001-alphabetapvs").search(tree, 2, observer=counter) == 7
    assert counter.researches == 1
    sorted_tree = parse_tree("[[7,8],[5,6]]")
    counter = Counter()
    assert find("001-alphabetapvs").search(sorted_tree, 2, observer=counter) == 7
    assert counter.researches == 0


@pytest.mark.parametrize("name", ["001-alphabetapvs", "001-alphabetapvs-checked"])
def test_pvs_does_not_search_again_what_came_back_as_beta(name: str) -> None:
    counter = Counter()
    assert find(name).search(parse_tree("[5,6,7]"), 1, 0, 6, counter) == 6  # null window 5 to 6, and 6 is beta
    assert (counter.nodes, counter.researches, counter.cuts) == (3, 0, 1)


def test_pvs_gives_later_moves_a_null_window_once_a_move_has_raised_alpha() -> None:
    found = seen(find("001-alphabetapvs"), parse_tree("[3,2,1]"))
    assert [found.windows[number] for number in (1, 2, 3)] == [(-INFINITY, INFINITY), (-4, -3), (-4, -3)]
    # a first move that does not raise alpha is no principal variation: the second still gets the whole window
    found = seen(find("001-alphabetapvs"), parse_tree("[3,6,1]"), (5, 9))
    assert [found.windows[number] for number in (1, 2, 3)] == [(-9, -5), (-9, -5), (-7, -6)]


@named(GENERAL)
def test_every_listing_looks_exactly_as_deep_as_it_is_asked(listing: Listing) -> None:
    for seat in (0, 1):
        for depth in (1, 2, 3, 4):
            node = Endless(seat=seat)
            report = run_listing(listing, node, depth)
            assert report.value == value_at(node, depth) * (1 - 2 * seat)
            assert len(report.line) == depth
            if listing in EXHAUSTIVE:
                assert (report.nodes, report.leaves) == ((3 ** (depth + 1) - 1) // 2, 3**depth)


@named(tuple(listing for listing in GENERAL if listing.looks is Horizon.TO_DEPTH))
def test_a_listing_with_a_depth_ends_at_it_where_no_node_is_ever_over(listing: Listing) -> None:
    for seat in (0, 1):
        for depth in (1, 2, 3, 4):
            node, counter = Endless(seat=seat), Counter(limit=3**5)
            assert listing.search(node, depth, observer=counter) == value_at(node, depth) * (1 - 2 * seat)


@named(WINDOWED)
def test_at_a_depth_all_windows_keep_their_promise(listing: Listing) -> None:
    draw = random.Random(SEED)
    for number in range(60):
        node = Endless(seat=number % 2, width=2 + number % 3)
        value = value_at(node, 3) * (1 - 2 * (number % 2))
        alpha = draw.randint(-55, 50)
        beta = alpha + draw.randint(1, 20)
        found = run_listing(listing, node, 3, window=(alpha, beta)).value
        assert (found <= alpha) == (value <= alpha)
        assert (found >= beta) == (value >= beta)
        assert not alpha < value < beta or found == value


@pytest.mark.parametrize("seat", [0, 1])
def test_greedy_takes_the_best_value_after_one_ply(seat: int) -> None:
    node = Endless(seat=seat, width=5)
    values = {move: node.play(move).analysis() * (1 - 2 * seat) for move in node.moves()}
    best = max(values.values())
    for name, counts in (("000-greedy", (6, 5)), ("004-greedy", (1, 1))):
        report = run_listing(find(name), node, 7)
        assert (report.value, report.depth, report.nodes, report.leaves) == (best, 1, *counts)
        assert report.line == (next(move for move, value in values.items() if value == best),)
        assert best_moves(find(name), node, 7) == tuple(move for move, value in values.items() if value == best)


@pytest.mark.parametrize("name", ["004-minimax", "004-lookahead"])
def test_004_returns_all_the_best_moves_with_the_value(name: str) -> None:
    for tree in even_trees(40, most=3):
        best = tuple(child.move for child in tree.children if exact(child) == exact(tree))
        assert find(name).answer(tree, tree.height()) == (value_for_mover(tree), best)
