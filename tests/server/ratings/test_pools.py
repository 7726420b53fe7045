"""Groups of players connected by games."""

from __future__ import annotations

from tabiya.server.ratings.pools import pools_of


def test_bots_connected_through_others_are_one_pool_and_the_largest_comes_first() -> None:
    assert pools_of(7, [5, 0, 3, 2, 4], [6, 1, 1, 4, 6]) == [[2, 4, 5, 6], [0, 1, 3]]


def test_a_player_without_games_is_a_pool_of_its_own() -> None:
    assert pools_of(3, [0], [2]) == [[0, 2], [1]]
    assert pools_of(0, [], []) == []
