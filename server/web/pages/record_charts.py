"""Charts of a bot's record: its rating in the course of time, its thinking time by move, how its games ended.

Coordinates are 0 to 100 across and 0 (top) to 100 down; the words beside a chart are the page's, which keep their size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from tabiya.server.standings import StandingsRow
from tabiya.server.web.schemas.record_responses import PerformanceWindow, ThinkingMove

STEPS_ELO = (20, 50, 100, 200, 400, 1000, 2000, 4000)


class Dot(NamedTuple):
    """One window: its place, the ends of its interval, and whether its version is another than that before."""

    x: float
    y: float
    top: float
    bottom: float
    new_version: bool
    window: PerformanceWindow


class HistoryChart(NamedTuple):
    """The rating history; `labels`: of the scale, from the top.  now: where the rating of all games lies."""

    dots: tuple[Dot, ...]
    line: str
    labels: tuple[float, float, float]
    now: float | None


class TimeChart(NamedTuple):
    """Thinking time by move: the median as a line in a band from the quick to the slow. highest_ms: at the top."""

    median: str
    band: str
    highest_ms: float
    moves: int


class EndingRow(NamedTuple):
    """How many games ended so, won, drawn and lost."""

    ending: str
    wins: int
    draws: int
    losses: int


def history_chart(history: Sequence[PerformanceWindow], rating: float | None) -> HistoryChart | None:
    """The chart; None without two windows, which a line needs."""
    if len(history) < 2:
        return None
    lowest = min(*(each.rating - each.plus_minus for each in history), rating or math.inf)
    highest = max(*(each.rating + each.plus_minus for each in history), rating or -math.inf)
    low, high = _round_scale(lowest, highest)
    begun, span = history[0].until, history[-1].until - history[0].until

    def y_of(elo: float) -> float:
        return round(100 * (high - elo) / (high - low), 2)

    dots, before = [], history[0].version
    for place, each in enumerate(history):
        x = (each.until - begun) / span if span > 0 else place / (len(history) - 1)
        ends = y_of(each.rating + each.plus_minus), y_of(each.rating - each.plus_minus)
        dots.append(Dot(round(1 + 98 * x, 2), y_of(each.rating), *ends, each.version != before, each))
        before = each.version
    line = " ".join(f"{dot.x},{dot.y}" for dot in dots)
    return HistoryChart(tuple(dots), line, (high, (low + high) / 2, low), None if rating is None else y_of(rating))


def _round_scale(low: float, high: float) -> tuple[float, float]:
    """Two steps of a round number that hold both."""
    for step in STEPS_ELO:
        start = math.floor(low / step) * step
        if start + 2 * step >= high:
            return start, start + 2 * step
    return math.floor(low), math.ceil(high)


def time_chart(moves: Sequence[ThinkingMove]) -> TimeChart | None:
    """The chart; None without two moves or any time."""
    highest = max((each.high_ms for each in moves), default=0.0)
    if len(moves) < 2 or highest <= 0:
        return None

    def points(times: Sequence[float]) -> list[str]:
        places = zip(moves, times, strict=True)
        last = moves[-1].move - 1
        return [f"{100 * (each.move - 1) / last:.2f},{100 - 100 * ms / highest:.2f}" for each, ms in places]

    low, high = points([each.low_ms for each in moves]), points([each.high_ms for each in moves])
    return TimeChart(
        median=" ".join(points([each.median_ms for each in moves])),
        band=" ".join([*high, *reversed(low)]),
        highest_ms=highest,
        moves=moves[-1].move,
    )


def endings_of(row: StandingsRow) -> list[EndingRow]:
    """How its games ended, the most frequent ending first."""
    every = dict.fromkeys((*row.won_by, *row.drawn_by, *row.lost_by))
    counts = [row.won_by, row.drawn_by, row.lost_by]
    rows = [EndingRow(ending, *(each.get(ending, 0) for each in counts)) for ending in every]
    return sorted(rows, key=lambda found: -sum(found[1:]))
