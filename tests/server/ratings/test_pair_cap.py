"""Many games of two players weigh no more in the fit than a bound; where all meet equally often nothing changes."""

from __future__ import annotations

import math
from random import Random

import pytest

from tabiya.server.ratings import pair_cap
from tabiya.server.ratings.fit import rate
from tabiya.server.ratings.pair_cap import MOST_GAMES, TIMES_USUAL
from tabiya.server.ratings.rating import Ratings
from tabiya.server.ratings.results import RatedGame, RatedPair, Results

CLASS, EACH = 20, 4


def a_class(each: int = EACH, players: int = CLASS) -> Results[int]:
    """Everybody has met everybody; who has the higher number is the stronger."""
    draw, results = Random(1), Results[int]()
    for one in range(players):
        for other in range(one):
            for number in range(each):
                first, second = (one, other) if number % 2 else (other, one)
                strong = draw.random() < 1 / (1 + 10 ** ((second - first) / CLASS))
                results.add(RatedGame(first, second, None if draw.random() < 0.1 else 0 if strong else 1))
    return results


def give_away(results: Results[int], number: int, loser: int = 9, winner: int = 10) -> None:
    """So many games resigned at once, with seats changed."""
    results.add(RatedGame(winner, loser, 0), number // 2)
    results.add(RatedGame(loser, winner, 1), number - number // 2)


def moved(before: Ratings[int], after: Ratings[int]) -> dict[int, float]:
    """By how much each rating has changed."""
    return {player: abs(after.by_player[player].elo - row.elo) for player, row in before.by_player.items()}


def test_ten_thousand_games_given_away_move_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    before = rate(a_class())
    burst, short = a_class(), a_class()
    give_away(burst, 10_000)
    give_away(short, int(MOST_GAMES) - EACH)
    after = rate(burst)
    change = moved(before, after)
    assert max(value for player, value in change.items() if player not in (9, 10)) < 6
    # nor the two more than so many games do: only the share of the four they had played is smaller
    assert max(moved(rate(short), after).values()) < 10
    assert [(pair.one, pair.other, pair.games, pair.counted) for pair in after.bounded] == [(9, 10, 10_004, 100)]
    assert (after.by_player[10].wins, after.by_player[9].games) == (before.by_player[10].wins + 10_000, 10_076)
    monkeypatch.setattr(pair_cap, "MOST_GAMES", math.inf)
    unbounded = moved(before, rate(burst))
    assert max(value for player, value in unbounded.items() if player not in (9, 10)) > 30
    assert unbounded[10] > 2 * change[10]


def test_pairs_of_games_are_bounded_as_single_games_are() -> None:
    results = a_class()
    results.add_pair(RatedPair(9, 10, (1, 0)), 5_000)
    before, after = rate(a_class()), rate(results)
    assert max(value for player, value in moved(before, after).items() if player not in (9, 10)) < 6
    assert after.bounded[0].counted == 100


@pytest.mark.parametrize("each", [1, 4, 150, 1_000])
def test_where_all_meet_equally_often_nothing_changes(monkeypatch: pytest.MonkeyPatch, each: int) -> None:
    results = a_class(each, players=6)
    bounded = rate(results)
    assert bounded.bounded == ()
    monkeypatch.setattr(pair_cap, "MOST_GAMES", math.inf)
    assert bounded.by_player == rate(results).by_player


def test_a_match_of_two_counts_whole_and_so_does_a_gauntlet() -> None:
    for opponents in (1, 3):
        results = Results[int]()
        for opponent in range(1, opponents + 1):
            results.add(RatedGame(0, opponent, 0), 6_000)
            results.add(RatedGame(0, opponent, 1), 4_000)
        assert rate(results).bounded == ()


def test_the_bound_follows_how_often_the_players_of_a_pool_meet() -> None:
    results = a_class(60, players=5)
    give_away(results, 1_000, 0, 1)
    results.add(RatedGame(100, 101, 0), 5_000)  # a pool of its own
    results.add(RatedGame(100, 101, 0), 3)
    (pair,) = rate(results).bounded
    assert (pair.games, pair.counted) == (1_060, TIMES_USUAL * 60)
