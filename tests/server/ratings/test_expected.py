"""Expected scores agree with the results that they were fitted to, and say how sure they are."""

from __future__ import annotations

import pytest

from tabiya.server.ratings.expected import expected_against, points_in_seat
from tabiya.server.ratings.fit import rate
from tabiya.server.ratings.results import RatedGame, Results


def games(first: str, second: str, won: int, drawn: int, lost: int) -> list[RatedGame[str]]:
    winners = [0] * won + [None] * drawn + [1] * lost
    return [RatedGame(first, second, winner) for winner in winners]


def test_after_many_games_as_many_points_are_expected_as_were_scored() -> None:
    played = [*games("ada", "bob", 700, 200, 100), *games("bob", "ada", 500, 200, 300)]
    ratings = rate(Results(played))
    bob = expected_against(ratings, "ada")["bob"]
    assert bob.score == pytest.approx((200 + 600) / 2000, abs=0.01)
    assert 0.01 < bob.high - bob.low < 0.1
    assert bob.low < bob.score < bob.high
    difference = ratings.by_player["ada"].elo - ratings.by_player["bob"].elo
    as_first, as_second = (float(points_in_seat(ratings, seat, difference)) for seat in (0, 1))
    assert [as_first, as_second] == pytest.approx([0.8, 0.4], abs=0.01)


def test_two_bots_expect_one_point_between_them_and_nothing_across_pools() -> None:
    ratings = rate(Results([*games("ada", "bob", 3, 1, 0), *games("eve", "tim", 1, 0, 0)]))
    one, other = expected_against(ratings, "ada"), expected_against(ratings, "bob")
    assert one["bob"].score + other["ada"].score == pytest.approx(1)
    assert one["bob"].low == pytest.approx(1 - other["ada"].high)
    assert set(one) == {"bob"}
