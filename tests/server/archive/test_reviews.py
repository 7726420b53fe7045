"""The shape in which judged moves are kept, and which of them cost most."""

from __future__ import annotations

import pytest

from tabiya.server.archive.reviews import JudgedMove, chances_of, costliest, decoded, encoded


def judged_move(ply: int, seat: int, cost: float, chances: float = 0.5, best: str = "") -> JudgedMove:
    """A move with nothing to be said of it but this."""
    return JudgedMove(
        ply=ply, seat=seat, move="", chances=chances, cost=cost, value="", best=best, best_value="", line=()
    )


def test_the_costliest_moves_of_a_seat_come_first_and_the_engines_own_error_is_none() -> None:
    costs = [(0, 0, 0.1), (1, 1, 0.9), (2, 0, 0.5), (3, 1, 0.01), (4, 0, 0.1), (6, 0, 0.2)]
    game = [judged_move(*each) for each in costs]
    assert [one.ply for one in costliest(game, 0)] == [2, 6, 0]
    assert [one.ply for one in costliest(game, 1)] == [1]


def test_a_kept_review_is_read_back_and_a_damaged_one_is_none() -> None:
    game = (judged_move(0, 0, 0.25, 0.75, "e4"), judged_move(1, 1, 0.0))
    assert decoded(encoded(game)) == game
    for damaged in ("", "[{", '[{"ply":0}]', "[" * 100_000, encoded(game).replace("0.25", '"much"')):
        assert decoded(damaged) is None


@pytest.mark.parametrize(("value", "points"), [(0, 0.5), (400, 10 / 11), (-400, 1 / 11), (2**53, 1.0), (-1e300, 0.0)])
def test_chances_follow_the_value(value: float, points: float) -> None:
    assert chances_of(value) == pytest.approx(points, abs=1e-9)
