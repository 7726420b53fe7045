"""What a player made of its games, and how well it played in some of them."""

from __future__ import annotations

import pytest

from tabiya.server.ratings.fit import rate
from tabiya.server.ratings.meetings import Meeting, meetings, performance_of
from tabiya.server.ratings.results import RatedPair, Results
from tests.server.ratings.test_expected import games


def test_games_are_told_by_opponent_and_seat_those_of_pairs_too() -> None:
    played = [*games("ada", "bob", 5, 1, 2), *games("bob", "ada", 1, 0, 3), *games("eve", "ada", 4, 4, 0)]
    results = Results(played, [RatedPair("bob", "ada", (0, None))])
    found = meetings(results, rate(results), "ada")
    assert set(found) == {"bob", "eve"}
    first, second = found["bob"]
    assert first[:3] == (5, 2, 2)  # one of them of the pair
    assert second[:3] == (3, 0, 2)
    assert found["eve"][1][:3] == (0, 4, 4)
    assert 0 < second.expected < second.games
    points = sum(tally.wins + tally.draws / 2 for tallies in found.values() for tally in tallies)
    expected = sum(tally.expected for tallies in found.values() for tally in tallies)
    assert points == pytest.approx(expected, abs=1.0)  # as the fit makes them


def test_a_performance_is_the_rating_at_which_the_points_are_those_expected() -> None:
    ratings = rate(Results([*games("ada", "bob", 30, 20, 10), *games("bob", "ada", 20, 20, 20)]))
    even, _ = performance_of(ratings, [Meeting(1500.0, seat, 0.5) for seat in (0, 1)] * 10)
    assert even == pytest.approx(1500, abs=1)
    won, unsure = performance_of(ratings, [Meeting(1500.0, seat, 1.0) for seat in (0, 1)] * 10)
    assert 1700 < won < 2600
    more, surer = performance_of(ratings, [Meeting(1500.0, seat, 0.75) for seat in (0, 1)] * 100)
    assert (1500 < more < won, surer < unsure) == (True, True)
    against_better, _ = performance_of(ratings, [Meeting(1700.0, seat, 0.5) for seat in (0, 1)] * 10)
    assert against_better == pytest.approx(even + 200, abs=1)
