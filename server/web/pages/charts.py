"""Charts. Of a match, ply by ply: the thinking time as bars, the first player's upwards; the score as lines.

Of the standings: each rating with its interval on one scale.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from tabiya.server.archive.reviews import JudgedMove, chances_of
from tabiya.server.standings.models import StandingsRow
from tabiya.server.web.schemas.responses import MoveLine

HEIGHT, LEAST = 40.0, 0.6  # units a bar is high at most, and at least


class Bar(Struct, frozen=True):
    """One move: a bar of `height` units in column `ply`, its top at `top`."""

    ply: int
    seat: int
    top: float
    height: float
    think_ms: float


class ScoreLine(Struct, frozen=True):
    """One judge's line. seat: of the bot that judged, None for the playing engine.  points: as SVG takes them."""

    seat: int | None
    points: str


class ScoreChart(Struct, frozen=True):
    """The first seat's chances, 1 at the top; `plies`: where anything is judged, each with its chances, for people."""

    width: int
    height: float
    lines: tuple[ScoreLine, ...]
    plies: tuple[tuple[int, str], ...]


class Chart(Struct, frozen=True):
    """All bars; `width` columns, twice `HEIGHT` units high, the longest took `longest_ms`."""

    width: int
    height: float
    longest_ms: float
    bars: tuple[Bar, ...]


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


def thinking_chart(moves: Sequence[MoveLine]) -> Chart | None:
    """The chart of a match; None while nobody has moved but the opening."""
    played = [move for move in moves if not move.opening]
    longest_ms = max((move.think_ms for move in played), default=0.0)
    if not longest_ms:
        return None
    bars = []
    for move in played:
        height = max(LEAST, HEIGHT * move.think_ms / longest_ms)
        top = HEIGHT - height if move.seat == 0 else HEIGHT
        bars.append(Bar(move.ply, move.seat, round(top, 2), round(height, 2), move.think_ms))
    return Chart(max(40, len(moves)), 2 * HEIGHT, longest_ms, tuple(bars))


def score_chart(moves: Sequence[MoveLine], judged: Sequence[JudgedMove] | None) -> ScoreChart | None:
    """The first seat's chances before each move, as they were judged, else as each bot told them; None without any."""
    found: dict[int | None, dict[int, float]]
    if judged:
        found = {None: {move.ply: move.chances for move in judged}}
    else:
        found = {seat: _told_by(moves, seat) for seat in (0, 1)}
    lines = [ScoreLine(seat, _points(chances)) for seat, chances in found.items() if len(chances) > 1]
    if not lines:
        return None
    shown = {ply: f"{chance:.2f}" for chances in found.values() for ply, chance in chances.items()}
    return ScoreChart(max(40, len(moves)), 2 * HEIGHT, tuple(lines), tuple(sorted(shown.items())))


def _told_by(moves: Sequence[MoveLine], seat: int) -> dict[int, float]:
    """The first seat's chances by ply, by the scores that one bot has told of its own side."""
    told = {move.ply: (move.info or {}).get("score") for move in moves if move.seat == seat}
    signed = 1 if seat == 0 else -1
    return {ply: chances_of(signed * score) for ply, score in told.items() if isinstance(score, int | float)}


def _points(chances: dict[int, float]) -> str:
    return " ".join(f"{ply},{2 * HEIGHT * (1 - chance):.1f}" for ply, chance in sorted(chances.items()))
