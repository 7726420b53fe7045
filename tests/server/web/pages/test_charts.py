"""The charts: of a match what was judged, else what the bots told; of the standings the scale of all intervals."""

from __future__ import annotations

from typing import Any

from tabiya.server.standings.models import StandingsRow
from tabiya.server.web.pages.charts import RatingScale, ScoreLine, rating_scale, score_chart
from tabiya.server.web.schemas.responses import MoveLine
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
    assert chart is not None
    assert chart.lines == (ScoreLine(0, "0,7.3 2,40.0 4,0.0"), ScoreLine(1, "1,72.7 3,7.3"))
    assert chart.plies == ((0, "0.91"), (1, "0.09"), (2, "0.50"), (3, "0.91"), (4, "1.00"))


def test_what_was_judged_takes_the_place_of_what_was_told() -> None:
    chart = score_chart(moves(400, 400), [judged_move(0, 0, 0.0, 0.5), judged_move(1, 1, 0.0, 0.25)])
    assert chart is not None
    assert chart.lines == (ScoreLine(None, "0,40.0 1,60.0"),)


def test_where_nobody_told_anything_there_is_no_chart() -> None:
    assert score_chart(moves(None, None, None, None), None) is None
    assert score_chart(moves(100, None, "much", None), None) is None  # a point is no line


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
