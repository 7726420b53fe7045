"""Charts. Of a match, ply by ply: the thinking time as bars, the first player's upwards; the score as lines.

Of the standings: each rating with its interval on one scale.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from tabiya.server.archive.reviews import JudgedMove
from tabiya.server.standings.models import StandingsRow
from tabiya.server.web.schemas.responses import MoveLine
from tabiya.server.web.views.match_scores import HEIGHT, longest_ms, reported_chances, svg_point

NARROWEST = 40  # plies that a chart is wide at least, so that the first ones are no blocks


class ScoreLine(Struct, frozen=True):
    """One judge's line. seat: of the bot that judged, None for the playing engine.  points: as SVG takes them."""

    seat: int | None
    points: str


class ScoreChart(Struct, frozen=True):
    """The first seat's chances, 1 at the top; `plies`: where anything is judged, each with its chances, for people."""

    lines: tuple[ScoreLine, ...]
    plies: tuple[tuple[int, str], ...]


class RatingScale(Struct, frozen=True):
    """From the lowest to the highest end of all intervals, as 0 to 100."""

    low: float
    high: float

    def at(self, rating: float) -> float:
        """The place of a rating."""
        return round(100 * (rating - self.low) / ((self.high - self.low) or 1.0), 2)


def rating_scale(rows: Sequence[StandingsRow]) -> RatingScale | None:
    """The scale of a table; None without rows."""
    if not rows:
        return None
    return RatingScale(
        min(row.rating - row.plus_minus for row in rows), max(row.rating + row.plus_minus for row in rows)
    )


def width_of(plies: int) -> int:
    """Number of columns in the charts of a match with `moves` moves."""
    return max(NARROWEST, plies) + 1


def bar_scale(moves: Sequence[MoveLine]) -> float:
    """Units a millisecond, so that the longest bar reaches the edge."""
    return HEIGHT / (longest_ms(moves) or 1.0)


def score_chart(moves: Sequence[MoveLine], judged: Sequence[JudgedMove] | None) -> ScoreChart:
    """The first seat's chances by ply: as they were judged, and as each bot told them with its move."""
    found: dict[int | None, dict[int, float]] = {seat: reported_chances(moves, seat) for seat in (0, 1)}
    found[None] = {move.ply: move.chances for move in judged or ()}
    lines = tuple(ScoreLine(seat, _points(chances)) for seat, chances in found.items())
    shown = {ply: f"{chance:.2f}" for chances in found.values() for ply, chance in chances.items()}
    return ScoreChart(lines, tuple(sorted(shown.items())))


def _points(chances: dict[int, float]) -> str:
    return " ".join(svg_point(ply, chance) for ply, chance in sorted(chances.items()))
