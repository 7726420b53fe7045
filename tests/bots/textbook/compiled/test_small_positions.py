"""Twins against book forms on positions so small that interpreted kernels are quick: the mutation tests run these."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tabiya.bots.search.limits import StopToken
from tabiya.bots.textbook.board import Board, Judge, Wins
from tabiya.bots.textbook.catalogue import LISTINGS, Listing, find
from tabiya.bots.textbook.compiled.searcher import DEEPEST, CompiledListing
from tabiya.bots.textbook.evaluations.index import book_evaluator
from tabiya.bots.textbook.node import INFINITY
from tabiya.bots.textbook.observers import TooBig
from tabiya.bots.textbook.order import Guess, Sorting
from tabiya.bots.textbook.run_listing import PLAIN_SETUP, Report, SearchSetup, best_moves, run_listing
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tests.bots.textbook.boards import judge_for

pytestmark = pytest.mark.slow
SMALL = {
    "nim": ("1,2 normal 1", "2,0,2 misere 2", "1,1,1 normal 2"),
    "tictactoe": ("3x3x3 XO-OX-X-- O", "3x3x3 XOXO-O-X- X", "3x3x3 XOX-O--X- O"),
}
POSITIONS = [load_game(name).parse(text) for name, texts in SMALL.items() for text in texts]
CAPTURES = "4k3/8/2p5/3p4/8/8/8/3QK3 w - - 0 1"
EACH = pytest.mark.parametrize("position", POSITIONS, ids=lambda position: position.text())
EVERY_LISTING = pytest.mark.parametrize("listing", LISTINGS, ids=lambda listing: listing.name)
FULL = (-INFINITY, INFINITY)


def same(
    listing: Listing,
    judge: Judge,
    position: Position,
    depth: int,
    setup: SearchSetup = PLAIN_SETUP,
    window: tuple[int, int] = FULL,
) -> Report:
    twin = CompiledListing(listing, judge, setup).search(position, depth, window)
    book = run_listing(listing, Board(position, judge), depth, setup, window)
    assert replace(twin, time_s=0.0) == replace(book, time_s=0.0)
    return twin


def judge_of(position: Position, listing: Listing) -> Judge:
    return judge_for(position.game.name, wins=Wins.ONE if listing.precludes else Wins.SOONER)


@EACH
@EVERY_LISTING
def test_every_listing_reports_the_same(listing: Listing, position: Position) -> None:
    for depth in (1, 3):
        same(listing, judge_of(position, listing), position, depth)


@EACH
@pytest.mark.parametrize("wins", Wins)
def test_every_worth_of_a_win_is_the_same(wins: Wins, position: Position) -> None:
    for name in ("minimax", "alphabeta-failhard"):
        same(find(name), judge_for(position.game.name, wins=wins), position, 9)


@EACH
def test_narrow_windows_are_the_same(position: Position) -> None:
    draw, judge = random.Random(4), judge_for(position.game.name)
    for listing in LISTINGS:
        alpha = run_listing(find("minimax"), Board(position, judge), 3).value + draw.randint(-300, 300)
        for width in (1, 250):
            if not listing.precludes:
                same(listing, judge, position, 3, window=(alpha, alpha + width))


@EACH
@pytest.mark.parametrize("guess", Guess)
def test_every_order_is_the_same(guess: Guess, position: Position) -> None:
    judge = judge_for(position.game.name)
    for name in ("alphabeta-failsoft", "pvs-failhard"):
        for sorting in (Sorting(), Sorting(best=1)):
            same(find(name), judge, position, 4, SearchSetup(guess, sorting))


@EACH
def test_what_is_learnt_in_one_iteration_is_used_in_the_next(position: Position) -> None:
    for guess in (Guess.KILLER, Guess.HISTORY):
        same(find("alphabeta-failhard"), judge_for(position.game.name), position, 4, SearchSetup(guess, iterate=True))


@EACH
@EVERY_LISTING
def test_all_best_moves_are_the_same(listing: Listing, position: Position) -> None:
    judge = judge_of(position, listing)
    assert CompiledListing(listing, judge).best_moves(position, 3) == best_moves(listing, Board(position, judge), 3)


@EACH
def test_a_coarse_grain_is_the_same(position: Position) -> None:
    for grain in (7, 40):
        same(find("minimax"), judge_for(position.game.name, grain=grain), position, 2)


def test_quiescence_is_the_same_and_counted() -> None:
    position = load_game("chess").parse(CAPTURES)
    for grain in (1, 3):
        report = same(find("alphabeta-failsoft"), judge_for("chess", grain, quiescence=True), position, 1)
        assert report.quiet > 0
    assert same(find("alphabeta-failsoft"), judge_for("chess"), position, 1).quiet == 0


def test_captures_first_is_the_same() -> None:
    position = load_game("chess").parse("4k3/8/8/8/3p4/4P3/4K3/8 w - - 0 1")
    reports = [
        same(find("alphabeta-failsoft"), judge_for("chess"), position, 2, SearchSetup(guess))
        for guess in (Guess.NONE, Guess.CAPTURES)
    ]
    assert reports[1].nodes < reports[0].nodes


def test_near_moves_are_the_same() -> None:
    position = load_game("connect5").parse("7x7x5 " + "-" * 24 + "X" + "-" * 24 + " O")
    near = same(find("minimax"), judge_for("connect5", near=True), position, 1)
    assert (near.nodes, same(find("minimax"), judge_for("connect5"), position, 1).nodes) == (25, 49)


FOURS = ("5x5x5 XXXX-OOOO---------------- X", "6x6x5 XXX---OO----O-X-----------------X-O- O")


@pytest.mark.parametrize("text", FOURS)
def test_leaves_valued_by_what_moves_change_have_the_value_of_their_boards(text: str) -> None:
    position = load_game("connect5").parse(text)
    judge = Judge(book_evaluator(position.game, "fours"))
    for name in ("minimax", "alphabeta-failhard", "pvs-failhard", "000-greedy", "004-greedy"):
        for depth in (1, 2):
            same(find(name), judge, position, depth)
    same(find("minimax"), Judge(judge.evaluator, grain=7), position, 1)
    same(find("minimax"), Judge(judge.evaluator, wins=Wins.ONE), position, 1)
    assert CompiledListing(find("minimax"), judge).best_moves(position, 1) == best_moves(
        find("minimax"), Board(position, judge), 1
    )


def test_where_the_count_may_be_cut_off_every_board_is_counted() -> None:
    empty = "-" * 20
    rows = ["XXXX-" * 4] * 4 + [empty, "O-" * 10] * 6 + [empty, "O----" * 4] + [empty] * 2
    position = load_game("connect5").parse(f"20x20x5 {''.join(rows)} X")
    judge = Judge(book_evaluator(position.game, "fours"), near=True)
    assert abs(Board(position, judge).eval()) > getattr(judge.evaluator, "exact_gains", 0) > 0
    same(find("minimax"), judge, position, 1)


def test_a_repetition_that_comes_from_before_the_root_ends_the_search_there() -> None:
    position = load_game("chess").parse("7k/8/8/8/8/8/8/KR6 w - - 20 60")
    for move in ("b1b2", "h8h7", "b2b1", "h7h8", "b1b2", "h8h7", "b2b1"):
        position = position.play(move)
    for name in ("minimax", "alphabeta-failhard", "001-minimax"):
        for depth in (1, 2):
            same(find(name), judge_for("chess"), position, depth)
    assert "h7h8" in best_moves(find("minimax"), Board(position, judge_for("chess")), 1)


def test_the_limit_of_nodes_is_exact() -> None:
    twin = CompiledListing(find("minimax"), judge_for("nim"))
    nodes = twin.search(POSITIONS[0], 9).nodes
    assert twin.search(POSITIONS[0], 9, limit=nodes).nodes == nodes == 12
    with pytest.raises(TooBig, match=f"more than {nodes - 1} nodes"):
        twin.search(POSITIONS[0], 9, limit=nodes - 1)
    with pytest.raises(TooBig):
        twin.best_moves(POSITIONS[0], 9, limit=5)


@pytest.mark.parametrize("depth", [0, DEEPEST + 1])
def test_other_depths_are_refused(depth: int) -> None:
    with pytest.raises(ValueError, match=f"a search is 1 to {DEEPEST} plies deep, not {depth}"):
        CompiledListing(find("minimax"), judge_for("nim")).search(POSITIONS[0], depth)


def test_preclusion_wants_values_of_one() -> None:
    with pytest.raises(ValueError, match="002-preclusion needs the values -1, 0 and 1"):
        CompiledListing(find("preclusion"), judge_for("nim"))


def test_a_stopped_search_reports_nothing_it_does_not_know() -> None:
    stop = StopToken()
    stop.stop()
    for name in ("minimax", "alphabeta-failhard", "pvs-failhard"):
        report = CompiledListing(find(name), judge_for("nim")).search(POSITIONS[0], 5, stop=stop)
        assert (report.depth, report.line, report.move) == (0, (), None)


def test_with_time_to_spare_no_iteration_follows_the_one_that_saw_everything() -> None:
    for name in ("minimax", "alphabeta-failhard", "pvs-failhard"):
        twin = CompiledListing(find(name), judge_for("nim"), SearchSetup(iterate=True))
        assert twin.search(POSITIONS[0], 20, time_s=60.0, soft_s=60.0).depth == 3
        assert twin.search(POSITIONS[0], 20).depth == 20
