"""The charts: of a match what was judged, else what the bots told; of the standings the scale of all intervals."""

from __future__ import annotations

from typing import Any

import pytest

from tabiya.server.standings.models import StandingsRow
from tabiya.server.web.pages.charts import (
    NARROWEST,
    RatingScale,
    ScoreLine,
    bar_scale,
    rating_scale,
    score_chart,
    width_of,
)
from tabiya.server.web.schemas.responses import MoveLine
from tabiya.server.web.views.match_scores import HEIGHT, costly_moves, longest_ms
from tests.server.archive.test_reviews import judged_move


def moves(*scores: object) -> list[MoveLine]:
    """Moves of both in turn, with the score that each of them told."""
    rest: dict[str, Any] = dict.fromkeys(MoveLine.__struct_fields__)  # of which the chart asks nothing
    return [
        MoveLine(**(rest | {"ply": ply, "seat": ply % 2, "info": None if score is None else {"score": score}}))
        for ply, score in enumerate(scores)
    ]


def test_each_bot_has_its_line_of_what_it_told_seen_by_the_first_seat() -> None:
    chart = score_chart(moves(400, 400, 0, -400, 10**15, None), None)
    assert chart.lines[:2] == (ScoreLine(0, "1,7.3 3,40.0 5,0.0"), ScoreLine(1, "2,72.7 4,7.3"))
    assert chart.plies == ((1, "0.91"), (2, "0.09"), (3, "0.50"), (4, "0.91"), (5, "1.00"))


def test_the_reviews_chances_have_a_line_beside_the_bots() -> None:
    chart = score_chart(moves(400, 400), [judged_move(0, 0, 0.0, 0.5), judged_move(1, 1, 0.0, 0.25)])
    assert chart.lines == (ScoreLine(0, "1,7.3"), ScoreLine(1, "2,72.7"), ScoreLine(None, "0,40.0 1,60.0"))


def test_an_impossible_score_is_no_point() -> None:
    assert score_chart(moves(None, "much", [], None), None).plies == ()


def test_a_move_that_cost_much_is_known_when_its_player_likes_its_game_less_at_the_next() -> None:
    reported = moves(0, 100, 0, 0, -400, 0)
    assert costly_moves(reported, None) == {2: pytest.approx(0.5 - 1 / 11), 1: pytest.approx(0.14, abs=0.01)}
    assert costly_moves(reported[:4], None) == {1: pytest.approx(0.14, abs=0.01)}
    assert costly_moves(reported, [judged_move(0, 0, 0.5), judged_move(1, 1, 0.05)]) == {0: 0.5}


def test_the_longest_of_the_bots_own_moves_reaches_the_edge() -> None:
    rest: dict[str, Any] = dict.fromkeys(MoveLine.__struct_fields__)
    timed = [
        MoveLine(**(rest | {"ply": ply, "think_ms": ms, "opening": ply == 0}))
        for ply, ms in enumerate((900.0, 50.0, 100.0))
    ]
    assert (longest_ms(timed), bar_scale(timed) * 100) == (100, HEIGHT)
    assert (longest_ms(timed[:1]), bar_scale([])) == (0, HEIGHT)
    assert (width_of(3), width_of(100)) == (NARROWEST + 1, 101)


def test_the_scale_of_ratings_holds_every_interval() -> None:
    rest: dict[str, Any] = dict.fromkeys(StandingsRow.__struct_fields__)
    rows = [
        StandingsRow(**(rest | {"rating": rating, "plus_minus": half})) for rating, half in ((1600, 50), (1500, 200))
    ]
    scale = rating_scale(rows)
    assert scale == RatingScale(1300, 1700)
    assert [scale.at(rating) for rating in (1300, 1500, 1700)] == [0, 50, 100]
    assert rating_scale([]) is None
    assert RatingScale(1500, 1500).at(1500) == 0
