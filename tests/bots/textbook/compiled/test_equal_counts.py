"""The compiled twin of every listing finds what the book form finds, from exactly as many nodes."""

from __future__ import annotations

import random
from dataclasses import asdict

import pytest

from tabiya.bots.textbook.board import Board, Judge, Wins
from tabiya.bots.textbook.catalogue import LISTINGS, Listing, Looks, find
from tabiya.bots.textbook.compiled.searcher import CompiledListing
from tabiya.bots.textbook.evaluations.index import book_evaluator
from tabiya.bots.textbook.node import INFINITY
from tabiya.bots.textbook.order import Guess, Sorting
from tabiya.bots.textbook.run_listing import PLAIN_SETUP, Report, SearchSetup, best_moves, run_listing
from tabiya.games.position import Position
from tabiya.games.registry import load_game, names
from tests.bots.textbook.boards import DEPTHS, SEED, judge_for, positions

pytestmark = pytest.mark.slow
EVERY_GAME = pytest.mark.parametrize("name", names())
EVERY_LISTING = pytest.mark.parametrize("listing", LISTINGS, ids=lambda listing: listing.name)


def facts(report: Report) -> dict[str, object]:
    return {name: value for name, value in asdict(report).items() if name != "time_s"}


def wins_of(listing: Listing) -> Wins:
    return Wins.ONE if listing.precludes else Wins.SOONER


def assert_equal(
    listing: Listing,
    judge: Judge,
    position: Position,
    depth: int,
    setup: SearchSetup = PLAIN_SETUP,
    window: tuple[int, int] = (-INFINITY, INFINITY),
) -> Report:
    """Book form and twin report the same; the report."""
    twin = CompiledListing(listing, judge, setup).search(position, depth, window)
    book = run_listing(listing, Board(position, judge), depth, setup, window)
    assert facts(twin) == facts(book), position
    return twin


@EVERY_GAME
@EVERY_LISTING
def test_values_lines_and_counts_are_equal(name: str, listing: Listing) -> None:
    judge = judge_for(name, wins=wins_of(listing))
    for position in positions(name):
        assert_equal(listing, judge, position, DEPTHS[name])


@EVERY_GAME
@pytest.mark.parametrize("name_of_listing", ["alphabeta-failsoft", "alphabeta-failhard", "alphabeta-theorem"])
def test_they_are_equal_in_narrow_windows_too(name: str, name_of_listing: str) -> None:
    draw, judge = random.Random(SEED), judge_for(name)
    for position in positions(name):
        alpha = CompiledListing(find("minimax"), judge).search(position, DEPTHS[name]).value + draw.randint(-40, 40)
        window = (alpha, alpha + draw.randint(1, 20))
        assert_equal(find(name_of_listing), judge, position, DEPTHS[name], window=window)


@EVERY_GAME
@pytest.mark.parametrize("guess", Guess)
@pytest.mark.parametrize("name_of_listing", ["alphabeta-failsoft", "pvs-failhard", "alphabeta-printed"])
def test_every_order_visits_the_same_nodes(name: str, guess: Guess, name_of_listing: str) -> None:
    judge = judge_for(name)
    for position in positions(name, 2):
        for sorting in (Sorting(), Sorting(best=2), Sorting(heap=True)):
            assert_equal(find(name_of_listing), judge, position, DEPTHS[name], SearchSetup(guess, sorting))


@EVERY_GAME
def test_iterations_and_preclusion_learn_alike(name: str) -> None:
    for position in positions(name, 2):
        assert_equal(find("minimax"), judge_for(name), position, 2, SearchSetup(iterate=True))
        judge = judge_for(name, wins=Wins.ONE)
        assert_equal(find("preclusion"), judge, position, DEPTHS[name], SearchSetup(Guess.KILLER, iterate=True))


@EVERY_GAME
@pytest.mark.parametrize("wins", Wins)
@pytest.mark.parametrize("grain", [1, 10])
@pytest.mark.parametrize("quiescence", [False, True])
def test_every_evaluation_is_the_same(name: str, wins: Wins, grain: int, quiescence: bool) -> None:
    judge = judge_for(name, grain, quiescence, wins)
    depth = DEPTHS[name] - (name == "chess" and quiescence)
    for position in positions(name, 4):
        assert_equal(find("alphabeta-failsoft"), judge, position, depth)


@pytest.mark.parametrize("name", ["connect5", "tictactoe"])
def test_near_moves_are_the_same(name: str) -> None:
    for position in positions(name, 4):
        assert_equal(find("alphabeta-failhard"), judge_for(name, near=True), position, DEPTHS[name])


def test_by_fours_threes_and_twos_they_are_the_same_too() -> None:
    for position in positions("connect5"):
        judge = Judge(book_evaluator(position.game, "fours"), near=True)
        for name_of_listing in ("minimax", "alphabeta-failhard", "pvs-failhard"):
            assert_equal(find(name_of_listing), judge, position, 2 if name_of_listing != "minimax" else 1)


@EVERY_GAME
@EVERY_LISTING
def test_all_best_moves_are_the_same(name: str, listing: Listing) -> None:
    judge = judge_for(name, wins=wins_of(listing))
    for position in positions(name, 2):
        depth = min(2, DEPTHS[name])
        expected = best_moves(listing, Board(position, judge), depth)
        assert CompiledListing(listing, judge).best_moves(position, depth) == expected
        assert expected


@EVERY_GAME
def test_to_the_end_of_the_game_they_agree_as_well(name: str) -> None:
    for position in positions(name, 4):
        late = position
        while late.outcome() is None:
            position, late = late, late.play(late.legal_moves()[-1])
        for listing in LISTINGS:
            if listing.looks is Looks.TO_DEPTH:
                assert_equal(listing, judge_for(name), position, min(2, DEPTHS[name]))


def test_a_third_repetition_is_a_draw_in_both() -> None:
    position = load_game("chess").start()
    for move in ("g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"):
        position = position.play(move)
    assert position.play("f6g8").outcome() is not None
    forgetful = load_game("chess").parse(position.text())
    for name in ("minimax", "alphabeta-failhard", "001-minimax", "pvs-failhard"):
        for depth in (1, 2, 3):
            assert_equal(find(name), judge_for("chess"), position, depth)
    remembered, forgotten = (
        CompiledListing(find("minimax"), judge_for("chess")).search(p, 3) for p in (position, forgetful)
    )
    assert remembered.nodes < forgotten.nodes


def test_fail_soft_hard_and_the_theorem_differ_on_positions_as_on_trees() -> None:
    judge, different = judge_for("reversi"), 0
    for position in positions("reversi", 20):
        value = CompiledListing(find("minimax"), judge).search(position, 3).value
        returned = {
            CompiledListing(listing, judge).search(position, 3, (value + 30, value + 60)).value
            for listing in LISTINGS
            if listing.family in ("alphabeta-failsoft", "alphabeta-failhard")
        }
        different += len(returned) == 2
        assert all(bound <= value + 30 for bound in returned)
    assert different >= 15
