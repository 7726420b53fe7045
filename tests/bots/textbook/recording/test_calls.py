"""The listing line by line: equal to a search in full, visit by visit, although only the way is run again."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tabiya.bots.textbook.board import Board
from tabiya.bots.textbook.catalogue import LISTINGS, Listing, find
from tabiya.bots.textbook.examples import EXAMPLES
from tabiya.bots.textbook.node import INFINITY, Node, Wins
from tabiya.bots.textbook.order import Guess, Sorting
from tabiya.bots.textbook.recording.calls import Call, calls_to
from tabiya.bots.textbook.recording.recording import Recorder, Recording
from tabiya.bots.textbook.run_listing import PLAIN_SETUP, SearchSetup, run_listing
from tests.bots.textbook.boards import DEPTHS, leaf_evaluator_for, positions
from tests.bots.textbook.trees import SEARCHING, even_trees, uneven_trees

FULL = (-INFINITY, INFINITY)


def recorded(
    listing: Listing, node: Node, depth: int, window: tuple[int, int] = FULL, setup: SearchSetup = PLAIN_SETUP
) -> Recording:
    recorder = Recorder()
    run_listing(listing, node, depth, setup, window, observers=[recorder])
    return recorder.recording(of_mover=listing.of_mover)


def assert_replayed(
    listing: Listing, node: Node, depth: int, window: tuple[int, int] = FULL, setup: SearchSetup = PLAIN_SETUP
) -> None:
    """Each call on the way to some visits has the recorded value, and calls for the recorded visits."""
    recording = recorded(listing, node, depth, window, setup)
    for visit in {0, len(recording) // 3, len(recording) // 2, len(recording) - 1}:
        calls = calls_to(recording, visit, listing, node, depth, window)
        assert [call.visit for call in calls] == recording.path(visit)
        for call in calls:
            assert [below for line in call.lines for below in line.below] == list(recording.below(call.visit))
            assert returned(call) == recording.value[call.visit]


def returned(call: Call) -> int:
    assert call.returned is not None
    return int(str(call.returned.variables["return"]).partition(",")[0])


@pytest.mark.parametrize("name", DEPTHS)
@pytest.mark.parametrize("listing", LISTINGS, ids=lambda listing: listing.name)
def test_each_call_on_the_way_answers_what_was_recorded(listing: Listing, name: str) -> None:
    wins = Wins.ONE if listing.precludes else Wins.SOONER
    for position in positions(name)[:2]:
        board = Board(position, leaf_evaluator_for(name, wins=wins, near=name == "connect5"))
        assert_replayed(listing, board, min(2, DEPTHS[name]))


@pytest.mark.parametrize("listing", SEARCHING, ids=lambda listing: listing.name)
def test_so_it_is_in_drawn_trees_for_both_seats_and_in_narrow_windows(listing: Listing) -> None:
    for tree in (*even_trees(6, most=1), *uneven_trees(6, most=1)):
        assert_replayed(listing, tree, tree.height() or 1)
        assert_replayed(listing, tree, tree.height() or 1, (-1, 1))


@pytest.mark.parametrize("guess", Guess)
def test_so_it_is_where_moves_were_ordered_by_what_the_search_had_learned(guess: Guess) -> None:
    setup = SearchSetup(guess, Sorting(best=2))
    board = Board(positions("reversi")[0], leaf_evaluator_for("reversi"))
    assert_replayed(find("pvs-failhard"), board, 3, setup=setup)


def test_the_lines_of_a_cut_off_are_those_that_run() -> None:
    listing, tree = find("000-alphabeta"), EXAMPLES["000"].tree()
    calls = calls_to(recorded(listing, tree, 3), 4, listing, tree, 3, FULL)
    source = Path(listing.module.__file__ or "").read_text().splitlines()
    at_c = calls[-1]
    assert (at_c.function, at_c.lines[0].variables["alpha"], at_c.lines[0].variables["beta"]) == (
        "RedValue",
        6,
        INFINITY,
    )
    assert [source[line.number - 1].strip() for line in at_c.lines[-3:]] == [
        "beta = x",
        "if alpha >= beta:",
        "return beta",
    ]
    assert at_c.returned is not None
    assert at_c.returned.variables["beta"] == at_c.returned.variables["return"] == 4
    assert source[at_c.returned.number - 1].strip() == "return beta"


def test_the_triangular_array_is_full_as_in_the_book() -> None:
    listing, tree = find("001-triangular"), EXAMPLES["001"].tree()
    (root,) = calls_to(recorded(listing, tree, 2), 0, listing, tree, 2, FULL)
    assert root.returned is not None
    assert root.returned.variables["triangularArray"] == "0: {0: '2', 1: '2'}, 1: {1: '1'}, 2: {}, 3: {}"


def test_an_earlier_trace_function_is_restored() -> None:
    def tracer(*_: object) -> None: ...

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        assert_replayed(find("minimax"), EXAMPLES["001"].tree(), 2)
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)


def test_a_visit_that_is_not_there_is_an_error() -> None:
    listing, tree = find("minimax"), EXAMPLES["001"].tree()
    with pytest.raises(IndexError, match="visits 0 to 12, not 13"):
        calls_to(recorded(listing, tree, 2), 13, listing, tree, 2, FULL)
