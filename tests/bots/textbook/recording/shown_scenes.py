"""What each scene shows: values, windows and counts from the texts, or by hand, never from a search.

Max is seat 0 and values are his, unless it says otherwise. Nodes have the numbers that 001 gives them.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, reduce

import chess

from tabiya.bots.textbook.analysis import found
from tabiya.bots.textbook.examples import EXAMPLES
from tabiya.bots.textbook.node import INFINITY
from tabiya.bots.textbook.recording.question import SearchQuestion
from tabiya.bots.textbook.recording.recording import Recording
from tabiya.bots.textbook.run_listing import Report
from tests.source_rules.sources import ROOT

I = INFINITY  # noqa: E741 - as the texts write it
FULL = (-I, I)
REVERSI_LEAVES = json.loads((ROOT / "tests/games/data/reversi_perft.json").read_text("utf-8"))["nodes"]


@dataclass(frozen=True)
class Search:
    """A search of a scene, as the tests read it."""

    question: SearchQuestion
    recording: Recording
    report: Report

    @cached_property
    def numbers(self) -> list[int]:
        return list(self.recording.columns["number"])

    @cached_property
    def values(self) -> dict[int, int]:
        """By number, for Max; of a node that was searched again the last one."""
        return {number: self.recording.seen_by(visit)[2] for visit, number in enumerate(self.numbers)}

    @cached_property
    def windows(self) -> dict[int, tuple[int, int]]:
        """By number, as the listing sees them."""
        alphas, betas = self.recording.columns["alpha"], self.recording.columns["beta"]
        return dict(zip(self.numbers, zip(alphas, betas, strict=True), strict=True))

    @cached_property
    def below(self) -> dict[str, int]:
        """The values of the root's moves, for the side to move there if the listing is a negamax, else for Max."""
        sign = -1 if self.recording.of_mover else 1
        return {self.recording.move_of(visit): sign * self.recording.value[visit] for visit in self.recording.below(0)}

    def unseen(self) -> list[int]:
        """The numbers of the tree's nodes that were never visited."""
        return [node.number for node in self.question.tree_searched().nodes() if node.number not in self.numbers]


Shows = Callable[..., None]
SHOWN: dict[str, Shows] = {}


def scene(name: str) -> Callable[[Shows], Shows]:
    """What a scene shows, as a function of its search or both of them."""

    def keep(shows: Shows) -> Shows:
        SHOWN[name] = shows
        return shows

    return keep


# --- 000


@scene("000-figure")
def f_and_g_are_never_visited(one: Search) -> None:
    number = {label: number for number, label in EXAMPLES["000"].labels.items()}
    assert (one.values[number["B"]], one.values[number["E"]], one.values[number["C"]]) == (6, 4, 4)
    assert one.windows[number["C"]] == (6, I)  # so that C <= 4 is too little for A
    assert one.unseen()[:2] == [number["F"], number["G"]]
    assert one.values[number["A"]] == 6


@scene("000-mirrored")
def the_same_happens_below_a_minimizer(one: Search) -> None:
    assert (one.values[1], one.values[5], one.values[4], one.values[0]) == (-6, -4, -4, -6)
    assert one.windows[4] == (-I, -6)
    assert one.unseen()[:2] == [8, 9]


@scene("000-value-of-the-root")
def negamax_has_the_value_that_red_sees(minimax: Search, negamax: Search) -> None:
    assert minimax.recording.value[0] == 3  # the smaller of 3 and 5
    assert negamax.recording.value[0] == -3


@scene("000-best-child")
def a_bound_looks_like_the_best_value(minimax: Search, alphabeta: Search) -> None:
    assert minimax.below == {"1": 3, "2": 3, "3": 2}
    assert alphabeta.below == {"1": 3, "2": 3, "3": 3}


@scene("000-moving-bounds")
def alpha_grows_where_max_moves_and_beta_falls_where_min_does(one: Search) -> None:
    assert [one.windows[number] for number in (1, 5, 9)] == [(-I, I), (-8, I), (0, I)]
    assert [one.windows[number] for number in (2, 3, 4)] == [(-I, I), (-I, -4), (-I, -4)]


@scene("000-equal-bounds")
def an_equal_bound_cuts_at_one_sign_only(one: Search, strict: Search) -> None:
    assert (one.unseen(), strict.unseen()) == ([6], [])
    assert (one.report.leaves, strict.report.leaves) == (3, 4)
    assert one.report.value == strict.report.value == 1


@scene("000-greedy-queen")
def the_queen_takes_a_pawn_unless_it_looks_further(greedy: Search, minimax: Search) -> None:
    assert (greedy.report.line, greedy.report.value) == (("d1d5",), 900 - 100)
    assert minimax.report.line[0] != "d1d5"
    assert minimax.report.value == 900 - 200
    assert minimax.below["d1d5"] == -100  # after the pawn has taken the queen


@scene("000-horizon")
def quiescence_sees_what_is_behind_the_last_move(plain: Search, quiet: Search) -> None:
    assert (plain.report.value, quiet.report.value) == (900 - 100, 900 - 200)
    assert quiet.below["d1d5"] == -100


@scene("000-lost-and-no-move")
def no_move_is_greater_than_minus_infinity(one: Search) -> None:
    assert (one.report.value, one.report.line) == (-I, ())
    assert set(one.below.values()) == {-I}


@scene("000-moves-a-position")
def chess_has_up_to_218_moves(one: Search) -> None:
    assert one.report.leaves == 218


@scene("000-exponential")
def leaves_multiply_with_each_level(four: Search, five: Search) -> None:
    assert (four.report.leaves, five.report.leaves) == (REVERSI_LEAVES[4], REVERSI_LEAVES[5]) == (244, 1396)


@scene("000-whole-tree")
def every_leaf_is_the_end_of_a_game(one: Search) -> None:
    leaves = [visit for visit, size in enumerate(one.recording.sizes) if size == 1]
    assert all(one.recording.columns["over"][leaf] for leaf in leaves)
    assert one.report.value == 0


@scene("000-extra-levels")
def two_levels_more_take_fewer_nodes(minimax: Search, alphabeta: Search) -> None:
    assert alphabeta.question.depth == minimax.question.depth + 2
    assert alphabeta.report.nodes < minimax.report.nodes


@scene("000-orders")
def an_order_saves_nodes_and_changes_no_value(plain: Search, killer: Search) -> None:
    assert killer.report.value == plain.report.value
    assert killer.report.nodes < 0.75 * plain.report.nodes


@scene("000-grain")
def a_coarser_value_prunes_more_and_says_less(fine: Search, coarse: Search) -> None:
    assert coarse.report.nodes < fine.report.nodes
    assert coarse.report.value == 0 < fine.report.value < 200


# --- 001


@scene("001-figure")
def nodes_11_and_12_are_skipped(minimax: Search, alphabeta: Search) -> None:
    assert minimax.numbers == list(range(13))
    assert alphabeta.numbers == list(range(11))
    assert alphabeta.values[10] == -3
    assert minimax.report.value == alphabeta.report.value == 0


@scene("001-windows")
def windows_are_negated_and_change_places(one: Search) -> None:
    expected = {0: FULL, 1: FULL, 2: FULL, 3: (-I, -4), 4: (-I, -4), 5: (-I, 8)}
    expected |= {6: (-8, I), 7: (-8, 4), 8: (-8, 0), 9: (-I, 0), 10: (0, I)}
    assert one.windows == expected


@scene("001-sorted")
def the_order_makes_all_or_nothing(perfect: Search, worst: Search) -> None:
    assert (perfect.report.leaves, perfect.report.cuts) == (3 + 3 - 1, 2)
    assert (worst.report.leaves, worst.report.cuts) == (9, 0)


@scene("001-worst-order")
def alphabeta_does_as_much_as_minimax(minimax: Search, alphabeta: Search) -> None:
    assert minimax.numbers == alphabeta.numbers == list(range(13))


@scene("001-perfect-order")
def the_fewest_leaves_are_visited(one: Search) -> None:
    assert one.report.leaves == 3**2 + 3**1 - 1
    assert sum(node.over for node in one.question.tree_searched().nodes()) == 3**3


@scene("001-rest-of-the-order")
def the_others_may_come_in_any_order(drawn: Search, sorted_all: Search) -> None:
    assert str(drawn.question.tree_searched()) != str(sorted_all.question.tree_searched())
    for one in (drawn, sorted_all):
        assert (one.report.leaves, one.report.value) == (3**2 + 3**1 - 1, 7)


@scene("001-fewer-nodes")
def the_value_is_the_same(minimax: Search, alphabeta: Search) -> None:
    assert minimax.report.value == alphabeta.report.value == 7
    assert (minimax.report.leaves, alphabeta.report.leaves) == (9, 5)


@scene("001-orders-of-magnitude")
def most_leaves_of_three_plies_are_not_needed(minimax: Search, alphabeta: Search) -> None:
    assert minimax.report.leaves == 8_902  # published
    assert alphabeta.report.value == minimax.report.value
    assert 20**2 + 20 - 1 <= alphabeta.report.leaves < 8_902 / 5


@scene("001-best-three-to-five")
def three_sorted_moves_are_enough(every: Search, three: Search) -> None:
    assert three.report.value == every.report.value
    assert three.report.nodes == every.report.nodes


@scene("001-only-at-leaves")
def there_are_as_many_evaluations_as_leaves(minimax: Search, alphabeta: Search) -> None:
    assert minimax.report.leaves == REVERSI_LEAVES[3]
    assert alphabeta.report.leaves < minimax.report.leaves
    assert alphabeta.report.value == minimax.report.value


@scene("001-last-raise")
def the_last_raise_was_the_best_move(one: Search) -> None:
    raises = [move for move, value in one.below.items() if value > max([-I, *_before(one.below, move)])]
    assert raises == ["1", "2"]
    assert one.report.line == ("2", "2")


def _before(values: dict[str, int], move: str) -> list[int]:
    return [value for other, value in values.items() if int(other) < int(move)]


@scene("001-crossed-bounds")
def bounds_that_meet_cut_already(one: Search, strict: Search) -> None:
    assert one.windows[4] == (-I, -1)  # beta -1: Max has 1
    assert (one.values[5], one.unseen(), strict.unseen()) == (1, [6], [])


@scene("001-one-ply-more")
def both_search_two_plies(first: Search, second: Search) -> None:
    assert first.numbers == second.numbers == list(range(13))
    assert first.values == second.values


@scene("001-no-moves-is-lost")
def stalemate_is_taken_for_a_win(careless: Search, careful: Search) -> None:
    assert (careless.below["f2f7"], careful.below["f2f7"]) == (I, 0)  # the stalemate
    assert careful.report.line == ("f2f8",)  # mate


@scene("001-kxg4")
def one_reply_refutes_each_other_move(minimax: Search, alphabeta: Search) -> None:
    assert minimax.report.leaves == 242
    assert (alphabeta.report.line[0], alphabeta.report.leaves) == ("f3g4", 3 + 13)  # three replies to Kxg4
    assert alphabeta.report.cuts == 13
    assert minimax.report.value == alphabeta.report.value == 500


@scene("001-negascout")
def only_pvs_scouts(alphabeta: Search, pvs: Search) -> None:
    assert (alphabeta.report.researches, pvs.report.researches) == (0, 1)
    assert pvs.numbers == [0, 1, 2, 3, 4, 5, 6, 4, 5, 6]
    assert alphabeta.numbers == list(range(7))
    assert pvs.report.value == alphabeta.report.value == 7


@scene("001-pvs-and-order")
def the_second_move_is_searched_again_where_it_is_the_better_one(worse_first: Search, best_first: Search) -> None:
    assert worse_first.numbers == [0, 1, 2, 3, 4, 5, 6, 4, 5, 6]
    assert (worse_first.report.researches, worse_first.windows[4]) == (1, (-I, -5))
    assert best_first.numbers == [0, 1, 2, 3, 4, 5]  # [[7,8],[5,6]]: 5 is enough, 6 is not looked at
    assert (best_first.report.researches, best_first.windows[4]) == (0, (-8, -7))
    assert best_first.report.value == worse_first.report.value == 7


@scene("001-pvs-in-games")
def null_windows_save_nodes(alphabeta: Search, pvs: Search) -> None:
    assert pvs.report.value == alphabeta.report.value
    assert (pvs.report.nodes < alphabeta.report.nodes, pvs.report.researches) == (True, 0)


@scene("001-triangular-array")
def the_line_is_collected(one: Search) -> None:
    assert (one.report.line, one.report.value) == (("2", "2"), 0)


# --- 002


def heaps_of(one: Search) -> list[tuple[int, ...]]:
    """The heaps at every visit, by playing the moves: a2 takes two from the first."""
    start = tuple(map(int, one.question.position.split()[0].split(",")))
    found, way = list[tuple[int, ...]](), [start]
    for visit, ply in enumerate(one.recording.ply):
        del way[ply + 1 if visit == 0 else ply :]
        if visit:
            move, heaps = one.recording.move_of(visit), list(way[-1])
            heaps["abc".index(move[0])] -= int(move[1:])
            way.append(tuple(heaps))
        found.append(way[-1])
    return found


@functools.cache
def nodes_of(heaps: tuple[int, ...], precludes: bool) -> tuple[int, int]:
    """Nodes of the whole tree, and the value for the side to move: who cannot move has lost."""
    nodes, value = 1, -1
    for at, heap in enumerate(heaps):
        for take in range(1, heap + 1):
            if not (precludes and value == 1):
                more, other = nodes_of((*heaps[:at], heap - take, *heaps[at + 1 :]), precludes)
                nodes, value = nodes + more, max(value, -other)
    return nodes, value


@scene("002-nim")
def only_1_1_wins(one: Search) -> None:
    drawn: dict[tuple[int, ...], int] = {(1, 2): 1, (0, 2): 1, (1, 1): -1, (1, 0): 1, (0, 1): 1, (0, 0): -1}
    assert [drawn[heaps] for heaps in heaps_of(one)] == list(one.recording.value)
    assert [move for move, value in one.below.items() if value == 1] == ["b1"]  # to (1, 1)
    assert one.report.nodes == 12  # 10 as drawn, where equal heaps are one


@scene("002-xor")
def who_is_at_xor_0_has_lost(one: Search) -> None:
    assert one.report.value == -1
    xors = [reduce(int.__xor__, heaps) for heaps in heaps_of(one)]
    assert list(one.recording.value) == [1 if xor else -1 for xor in xors]


@scene("002-preclusion")
def a_winning_move_ends_the_node(negamax: Search, preclusion: Search) -> None:
    for search, precludes in ((negamax, False), (preclusion, True)):
        assert (search.report.nodes, search.report.value) == nodes_of((2, 3), precludes)
    assert preclusion.report.nodes < negamax.report.nodes


@scene("002-figure")
def t_is_never_called(one: Search) -> None:
    number = {label: number for number, label in EXAMPLES["002"].labels.items()}
    assert one.numbers == [number[label] for label in "PQRS"]
    assert one.windows[number["R"]] == one.windows[number["S"]] == (10, I)
    assert (one.values[number["Q"]], one.values[number["S"]] <= 10, one.values[number["P"]]) == (10, True, 10)


@scene("002-deep-cut-off")
def the_bound_of_the_root_cuts_three_plies_below(one: Search) -> None:
    assert one.values[1] == 5
    assert (one.values[5], one.unseen()) == (3, [6])
    assert one.report.value == 6


@scene("002-window-theorem")
def the_value_is_0_and_above_the_window(one: Search) -> None:
    assert one.question.window == (-5, -2)
    assert one.report.value >= -2


@scene("002-contracts")
def the_bound_differs_and_both_are_right(soft: Search, hard: Search) -> None:
    assert (soft.report.value, hard.report.value) == (0, 2)
    assert soft.numbers == hard.numbers


@scene("002-some-leaf")
def every_value_is_some_leafs(one: Search) -> None:
    assert set(one.values.values()) <= {-4, 5, -8, 4, 0, 9, -3, 6, 2}


# --- 003


@scene("003-one-ply")
def each_move_is_evaluated(one: Search) -> None:
    assert (one.report.nodes, one.report.leaves) == (5, 4)
    assert one.recording.value[0] == max(one.below.values())


@scene("003-same-nodes")
def negamax_visits_the_nodes_of_minimax(minmax: Search, negamax: Search) -> None:
    assert minmax.numbers == negamax.numbers == list(range(13))
    assert minmax.values == negamax.values


@scene("003-exact-at-the-end")
def mate_is_large_and_stalemate_zero(one: Search) -> None:
    assert one.below["f2f7"] == 0
    assert one.below["f2f8"] > 20_000 > max(value for move, value in one.below.items() if move != "f2f8")


@scene("003-branching")
def there_are_about_35_and_1000_positions(one: Search) -> None:
    board = chess.Board(one.question.position)
    replies = []
    for move in board.legal_moves:
        board.push(move)
        replies.append(board.legal_moves.count())
        board.pop()
    assert len(list(one.recording.below(0))) == len(replies) == 36
    assert one.report.leaves == sum(replies) == 1_116


@scene("003-effective-branching")
def the_result_is_the_same_with_the_fewest_leaves(minimax: Search, alphabeta: Search) -> None:
    assert minimax.report.value == alphabeta.report.value
    assert (minimax.report.leaves, alphabeta.report.leaves) == (20 * 20, 20 + 20 - 1)


# --- 004


@scene("004-changes-of-a-move")
def the_best_change_is_the_best_board(boards: Search, changes: Search) -> None:
    assert (boards.report.nodes, changes.report.nodes) == (1 + 15 * 15 - 2, 1)
    assert boards.report.line == changes.report.line


@scene("004-finds-the-win")
def four_in_a_row_become_five(one: Search) -> None:
    assert one.report.line in {("g8",), ("l8",)}
    assert one.report.nodes == 1


@scene("004-tictactoe")
def between_two_corners_only_the_edges_hold(one: Search) -> None:
    assert {move: value for move, value in one.below.items() if move in {"a3", "c1"}} == {"a3": 1, "c1": 1}
    assert {move for move, value in one.below.items() if value == 0} == {"a2", "b1", "b3", "c2"}
    assert found(one.question)[1] == ("b1", "a2", "c2", "b3")


@scene("004-as-bad-as-lost")
def a_later_win_is_as_good(one: Search) -> None:
    assert one.report.value == 1
    assert set(found(one.question)[1]) > {"c1"}  # which is three in a row at once
    assert found(replace(one.question, wins="sooner"))[1] == ("c1",)


@scene("004-figure")
def what_is_behind_6_and_3_need_not_be_looked_at(minimax: Search, alphabeta: Search) -> None:
    leaves = {node.number: node.value for node in minimax.question.tree_searched().nodes()}
    assert [leaves[number] for number in alphabeta.unseen()] == [5, 4, 2, 1]
    assert minimax.report.value == alphabeta.report.value == 7


@scene("004-forgets-bounds")
def the_printed_form_forgets_what_the_root_has(printed: Search, other: Search) -> None:
    assert (printed.windows[4], other.windows[4]) == (FULL, (5, I))
    assert (printed.unseen(), other.unseen()) == ([], [6])
    assert printed.report.value == other.report.value == 6
