"""What the explorer steps through counts at its end what `tabiya analyse` counts: all listings, all games."""

from __future__ import annotations

import pytest

from tabiya.bots.textbook.analysis import analyse
from tabiya.bots.textbook.catalogue import LISTINGS, Listing
from tabiya.bots.textbook.recording.question import Order, SearchQuestion
from tabiya.games.registry import names
from tests.bots.textbook.boards import DEPTHS, positions

pytestmark = pytest.mark.slow


def assert_as_analysed(question: SearchQuestion) -> None:
    """Value, line, counts at the last step, and two steps for each node, are those of the command."""
    recording, report = question.checked().recorded()
    (finding,) = analyse(question, [question.algorithm])
    reported = finding.report
    assert reported is not None, finding.problem
    counted = recording.counts(recording.steps - 1)
    assert counted == (reported.nodes, reported.leaves, reported.cuts, reported.unseen, reported.researches), question
    assert recording.steps == 2 * reported.nodes
    assert (report.value, report.line, report.depth) == (reported.value, reported.line, reported.depth), question


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("listing", LISTINGS, ids=lambda listing: listing.name)
def test_every_listing_on_random_positions_of_every_game(listing: Listing, name: str) -> None:
    for position in positions(name)[:2]:
        for depth in {1, DEPTHS[name]}:
            assert_as_analysed(
                SearchQuestion(
                    algorithm=listing.name, game=name, position=position.text(), depth=depth, near=name == "connect5"
                )
            )


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("order", [Order.EVALUATION, Order.CAPTURES, Order.KILLER])
def test_orders_on_random_positions_of_every_game(order: Order, name: str) -> None:
    for position in positions(name)[:2]:
        for algorithm in ("alphabeta-failsoft", "pvs-failhard"):
            assert_as_analysed(
                SearchQuestion(
                    algorithm=algorithm, game=name, position=position.text(), depth=DEPTHS[name], order=order
                )
            )


def test_there_are_24_listings_and_every_game_is_searched() -> None:
    assert len(LISTINGS) == 24
    assert set(names()) == set(DEPTHS)
