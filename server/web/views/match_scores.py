"""The scores of bots and playing engine, move by move."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tabiya.server.archive.reviews import JudgedMove, chances_of
from tabiya.server.web.schemas.responses import MoveLine

HEIGHT = 40.0  # units of a chart from the middle to an edge
LEAST_FALL = 0.1  # of a point: less is how a search wavers from move to move


def longest_ms(moves: Sequence[MoveLine]) -> float:
    """The longest thinking time of a move; 0 if only opening moves were made."""
    return max((move.think_ms for move in moves if not move.opening), default=0.0)


def reported_chances(moves: Sequence[MoveLine], seat: int) -> dict[int, float]:
    """The first seat's chances after each move of a bot, from the scores that it reported for its own side."""
    scores = {move.ply + 1: (move.info or {}).get("score") for move in moves if move.seat == seat}
    signed = 1 if seat == 0 else -1
    return {ply: chances_of(signed * score) for ply, score in scores.items() if isinstance(score, int | float)}


def costly_moves(moves: Sequence[MoveLine], judged: Sequence[JudgedMove] | None) -> dict[int, float]:
    """The moves, from 0, that cost their player much, with the cost in points.

    From the review; without one from the player's own scores: by how much its next score was lower.
    """
    if judged:
        costs = {move.ply: move.cost for move in judged}
    else:
        costs = {}
        for seat in (0, 1):
            chances = list(reported_chances(moves, seat).items())
            lost = 1 if seat == 0 else -1
            costs |= {ply - 1: lost * (before - after) for (ply, before), (_, after) in pairwise(chances)}
    return {ply: cost for ply, cost in costs.items() if cost >= LEAST_FALL}


def svg_point(ply: int, chance: float) -> str:
    """A point of a line, as SVG takes it."""
    return f"{ply},{2 * HEIGHT * (1 - chance):.1f}"
