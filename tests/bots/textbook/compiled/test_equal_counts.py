"""The compiled twin of every listing finds what the book form finds, from exactly as many nodes.

Mutation tests run this interpreted with PYTEST_ADDOPTS='-k "nim or tictactoe or small"': so it takes seconds.
"""

from __future__ import annotations

import random
from dataclasses import replace

import numba
import pytest

from tabiya.bots.search.limits import StopToken
from tabiya.bots.textbook.board import Board, LeafEvaluator
from tabiya.bots.textbook.catalogue import LISTINGS, Horizon, Listing, find
from tabiya.bots.textbook.compiled.searcher import DEEPEST, CompiledListing
from tabiya.bots.textbook.evaluations.index import book_evaluator
from tabiya.bots.textbook.node import INFINITY, Wins
from tabiya.bots.textbook.observers import TooBig
from tabiya.bots.textbook.order import Guess, Sorting
from tabiya.bots.textbook.run_listing import PLAIN_SETUP, Report, SearchSetup, best_moves, run_listing
from tabiya.games.position import Position
from tabiya.games.registry import load_game, names
from tests.bots.textbook.boards import DEPTHS, SEED, leaf_evaluator_for, positions

pytestmark = pytest.mark.slow
EVERY_GAME = pytest.mark.parametrize("name", names())
EVERY_LISTING = pytest.mark.parametrize("listing", LISTINGS, ids=lambda listing: listing.name)
SMALL = {
    "nim": ("1,2 normal 1", "2,0,2 misere 2", "1,1,1 normal 2"),
    "tictactoe": ("3x3x3 XO-OX-X-- O", "3x3x3 XOXO-O-X- X", "3x3x3 XOX-O--X- O"),
}
FIRST = load_game("nim").parse(SMALL["nim"][0])


def asked(name: str, count: int = 6) -> list[Position]:
    """Positions of random games, and a few that are nearly over; interpreted these alone, where there are some."""
    small = list(map(load_game(name).parse, SMALL.get(name, ())))
    return small if small and numba.config.DISABLE_JIT else [*positions(name, count), *small]


def same(
    listing: Listing,
    leaf_evaluator: LeafEvaluator,
    position: Position,
    depth: int,
    setup: SearchSetup = PLAIN_SETUP,
    window: tuple[int, int] = (-INFINITY, INFINITY),
) -> Report:
    """Book form and twin report the same; the report."""
    twin = CompiledListing(listing, leaf_evaluator, setup).search(position, depth, window)
    book = run_listing(listing, Board(position, leaf_evaluator), depth, setup, window)
    assert replace(twin, time_s=0.0) == replace(book, time_s=0.0), position
    return twin


def same_best_moves(listing: Listing, leaf_evaluator: LeafEvaluator, position: Position, depth: int) -> None:
    found = CompiledListing(listing, leaf_evaluator).best_moves(position, depth)
    assert found == best_moves(listing, Board(position, leaf_evaluator), depth) != ()


@EVERY_GAME
@EVERY_LISTING
def test_values_lines_counts_and_all_best_moves_are_equal(name: str, listing: Listing) -> None:
    leaf_evaluator = leaf_evaluator_for(name, wins=Wins.ONE if listing.precludes else Wins.SOONER)
    for at, position in enumerate(asked(name)):
        for depth in {1, DEPTHS[name]}:
            same(listing, leaf_evaluator, position, depth)
        if at % 3 == 0 or name in SMALL:
            same_best_moves(listing, leaf_evaluator, position, min(2, DEPTHS[name]))


@EVERY_GAME
def test_they_are_equal_in_narrow_windows_too(name: str) -> None:
    draw, leaf_evaluator = random.Random(SEED), leaf_evaluator_for(name)
    few = map(find, ("alphabeta-failsoft", "alphabeta-failhard", "alphabeta-theorem"))
    listings = [listing for listing in LISTINGS if not listing.precludes] if name in SMALL else list(few)
    for position in asked(name):
        value = CompiledListing(find("minimax"), leaf_evaluator).search(position, DEPTHS[name]).value
        for listing in listings:
            for width, far in ((draw.randint(1, 20), 40), (250, 300)):
                alpha = value + draw.randint(-far, far)
                same(listing, leaf_evaluator, position, DEPTHS[name], window=(alpha, alpha + width))


@EVERY_GAME
@pytest.mark.parametrize("guess", Guess)
def test_every_order_visits_the_same_nodes(name: str, guess: Guess) -> None:
    leaf_evaluator = leaf_evaluator_for(name)
    for position in asked(name, 2):
        for listing in ("alphabeta-failsoft", "pvs-failhard", "alphabeta-printed"):
            for sorting in (Sorting(), Sorting(best=2), Sorting(heap=True)):
                same(find(listing), leaf_evaluator, position, DEPTHS[name], SearchSetup(guess, sorting))


@EVERY_GAME
def test_what_is_learnt_in_one_iteration_is_used_in_the_next(name: str) -> None:
    for position in asked(name, 2):
        same(find("minimax"), leaf_evaluator_for(name), position, 2, SearchSetup(iterate=True))
        for guess in (Guess.KILLER, Guess.HISTORY):
            setup = SearchSetup(guess, iterate=True)
            same(find("alphabeta-failhard"), leaf_evaluator_for(name), position, DEPTHS[name], setup)
            same(find("preclusion"), leaf_evaluator_for(name, wins=Wins.ONE), position, DEPTHS[name], setup)


def test_history_weighs_a_cut_off_by_the_square_of_the_depth_left_in_both() -> None:
    setup = SearchSetup(Guess.HISTORY)
    same(find("alphabeta-failhard"), leaf_evaluator_for("tictactoe"), load_game("tictactoe").start(), 5, setup)


@EVERY_GAME
@pytest.mark.parametrize("wins", Wins)
@pytest.mark.parametrize("grain", [1, 7])
@pytest.mark.parametrize("quiescence", [False, True])
def test_every_evaluation_is_the_same(name: str, wins: Wins, grain: int, quiescence: bool) -> None:
    leaf_evaluator = leaf_evaluator_for(name, grain, quiescence, wins)
    depth = DEPTHS[name] - (name.startswith("chess") and quiescence)
    for position in asked(name, 4):
        same(find("alphabeta-failsoft"), leaf_evaluator, position, depth)
        same(find("minimax"), leaf_evaluator, position, 1)


@EVERY_GAME
def test_to_the_end_of_the_game_they_agree_as_well(name: str) -> None:
    for position in asked(name, 4):
        late = position
        while late.outcome() is None:
            position, late = late, late.play(late.legal_moves()[-1])
        for listing in LISTINGS:
            if listing.looks is Horizon.TO_DEPTH:
                same(listing, leaf_evaluator_for(name), position, min(2, DEPTHS[name]))


@pytest.mark.parametrize("name", ["connect5", "tictactoe"])
def test_moves_near_stones_and_by_fours_threes_and_twos_are_the_same(name: str) -> None:
    for position in positions(name, 4):
        same(find("alphabeta-failhard"), leaf_evaluator_for(name, near=True), position, DEPTHS[name])
        if name == "connect5":
            leaf_evaluator = LeafEvaluator(book_evaluator(position.game, "fours"), near=True)
            for listing, depth in (("minimax", 1), ("alphabeta-failhard", 2), ("pvs-failhard", 2)):
                same(find(listing), leaf_evaluator, position, depth)


def test_quiescence_on_a_small_board_is_the_same_and_counted() -> None:
    position = load_game("chess").parse("4k3/8/2p5/3p4/8/8/8/3QK3 w - - 0 1")
    for grain in (1, 3):
        assert (
            same(find("alphabeta-failsoft"), leaf_evaluator_for("chess", grain, quiescence=True), position, 1).quiet > 0
        )
    assert same(find("alphabeta-failsoft"), leaf_evaluator_for("chess"), position, 1).quiet == 0


def test_captures_first_on_a_small_board_are_the_same() -> None:
    position = load_game("chess").parse("4k3/8/8/8/3p4/4P3/4K3/8 w - - 0 1")
    as_generated, captures_first = (
        same(find("alphabeta-failsoft"), leaf_evaluator_for("chess"), position, 2, SearchSetup(guess)).nodes
        for guess in (Guess.NONE, Guess.CAPTURES)
    )
    assert captures_first < as_generated


def test_near_moves_on_a_small_board_are_fewer() -> None:
    position = load_game("connect5").parse("7x7x5 " + "-" * 24 + "X" + "-" * 24 + " O")
    near, all_moves = (
        same(find("minimax"), leaf_evaluator_for("connect5", near=near), position, 1) for near in (True, False)
    )
    assert (near.nodes, all_moves.nodes) == (25, 49)


@pytest.mark.parametrize(
    "text",
    ["5x5x5 XXXX-OOOO---------------- X", "6x6x5 XXX---OO----O-X-----------------X-O- O"],
    ids=["small 5", "small 6"],
)
def test_leaves_valued_by_what_moves_change_have_the_value_of_their_boards(text: str) -> None:
    position = load_game("connect5").parse(text)
    leaf_evaluator = LeafEvaluator(book_evaluator(position.game, "fours"))
    for name in ("minimax", "alphabeta-failhard", "pvs-failhard", "000-greedy", "004-greedy"):
        for depth in (1, 2):
            same(find(name), leaf_evaluator, position, depth)
    same(find("minimax"), LeafEvaluator(leaf_evaluator.evaluator, grain=7), position, 1)
    same(find("minimax"), LeafEvaluator(leaf_evaluator.evaluator, wins=Wins.ONE), position, 1)
    same_best_moves(find("minimax"), leaf_evaluator, position, 1)


def test_where_the_count_may_be_cut_off_every_board_is_counted() -> None:
    empty = "-" * 20
    rows = ["XXXX-" * 4] * 4 + [empty, "O-" * 10] * 6 + [empty, "O----" * 4] + [empty] * 2
    position = load_game("connect5").parse(f"20x20x5 {''.join(rows)} X")
    leaf_evaluator = LeafEvaluator(book_evaluator(position.game, "fours"), near=True)
    assert abs(Board(position, leaf_evaluator).eval()) > getattr(leaf_evaluator.evaluator, "exact_gains", 0) > 0
    same(find("minimax"), leaf_evaluator, position, 1)


@pytest.mark.parametrize(
    ("start", "moves", "drawing"),
    [
        pytest.param("7k/8/8/8/8/8/8/KR6 w - - 20 60", "b1b2 h8h7 b2b1 h7h8", "h7h8", id="small"),
        pytest.param(load_game("chess").start().text(), "g1f3 g8f6 f3g1 f6g8", "f6g8", id="from the start"),
    ],
)
def test_a_third_repetition_that_began_before_the_root_is_a_draw_in_both(start: str, moves: str, drawing: str) -> None:
    position, leaf_evaluator = load_game("chess").parse(start), leaf_evaluator_for("chess")
    for move in (moves.split() * 2)[:-1]:
        position = position.play(move)
    assert position.play(drawing).outcome() is not None
    for name in ("minimax", "alphabeta-failhard", "001-minimax", "pvs-failhard"):
        for depth in (1, 2):
            same(find(name), leaf_evaluator, position, depth)
    without_history = CompiledListing(find("minimax"), leaf_evaluator).search(
        load_game("chess").parse(position.text()), 2
    )
    assert CompiledListing(find("minimax"), leaf_evaluator).search(position, 2).nodes < without_history.nodes


def test_the_limit_of_nodes_is_exact_on_the_small_heaps_of_nim() -> None:
    twin = CompiledListing(find("minimax"), leaf_evaluator_for("nim"))
    nodes = twin.search(FIRST, 9).nodes
    assert twin.search(FIRST, 9, limit=nodes).nodes == nodes == 12
    with pytest.raises(TooBig, match=f"more than {nodes - 1} nodes"):
        twin.search(FIRST, 9, limit=nodes - 1)
    with pytest.raises(TooBig):
        twin.best_moves(FIRST, 9, limit=5)


def test_small_and_large_depths_and_preclusion_with_other_values_are_refused() -> None:
    for depth in (0, DEEPEST + 1):
        with pytest.raises(ValueError, match=f"a search is 1 to {DEEPEST} plies deep, not {depth}"):
            CompiledListing(find("minimax"), leaf_evaluator_for("nim")).search(FIRST, depth)
    with pytest.raises(ValueError, match="002-preclusion needs the values -1, 0 and 1"):
        CompiledListing(find("preclusion"), leaf_evaluator_for("nim"))


@pytest.mark.parametrize("name", ["minimax", "alphabeta-failhard", "pvs-failhard"])
def test_a_search_of_small_heaps_that_is_stopped_or_has_seen_everything_goes_no_further(name: str) -> None:
    stop, iterating = StopToken(), CompiledListing(find(name), leaf_evaluator_for("nim"), SearchSetup(iterate=True))
    stop.stop()
    report = CompiledListing(find(name), leaf_evaluator_for("nim")).search(FIRST, 5, stop=stop)
    assert (report.depth, report.line, report.move) == (0, (), None)
    assert iterating.search(FIRST, 20, time_s=60.0, soft_s=60.0).depth == 3
    assert iterating.search(FIRST, 20).depth == 20
