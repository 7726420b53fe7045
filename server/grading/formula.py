"""Points against staff bots, and the grade."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated

from msgspec import Meta, Struct

from tabiya.protocol.messages.fields import doc

MOST_POINTS = 1_000.0
Percent = Annotated[float, Meta(ge=0, le=100)]

Score = tuple[float, int]
"""Points and games of one bot against one staff bot."""


class BotPoints(Struct, frozen=True, kw_only=True):
    """What a staff bot is worth."""

    points: Annotated[float, Meta(gt=0, le=MOST_POINTS), doc("What can be earned against it.")]
    nothing_to: Annotated[Percent, doc("Percent of the games' points up to which nothing is earned.")] = 0.0
    all_from: Annotated[Percent, doc("Percent from which everything is; in between in proportion.")] = 100.0

    @property
    def fault(self) -> str:
        """The error in it, as a sentence; empty if there is none."""
        if not 0 < self.points <= MOST_POINTS:
            return f"a staff bot is worth more than 0 and at most {MOST_POINTS:g} points, not {self.points:g}"
        if not 0 <= self.nothing_to <= self.all_from <= 100 or not self.all_from:
            return (
                "the bounds of a staff bot are percents, the lower one first and the upper one more than 0, "
                f"not {self.nothing_to:g}-{self.all_from:g}"
            )
        return ""


def grade(staff: Mapping[str, BotPoints], scores: Mapping[str, Score]) -> float:
    """The grade: the sum of what was earned against each staff bot, nothing without a game.

    With s percent of the points of its games against a staff bot (win 1, draw 1/2) a bot earns of that one's points:
    all if s is `all_from` or more, else none if s is `nothing_to` or less, else the share
    (s - nothing_to) / (all_from - nothing_to). staff, scores: by the staff bots' names.
    """
    earned = 0.0
    for name, worth in staff.items():
        taken, games = scores.get(name, (0.0, 0))
        percent = 100 * taken / games if games else None
        if percent is None:
            continue
        if percent >= worth.all_from:
            earned += worth.points
        elif percent > worth.nothing_to:
            earned += worth.points * (percent - worth.nothing_to) / (worth.all_from - worth.nothing_to)
    return round(earned, 2)


def most_points(staff: Iterable[BotPoints]) -> float:
    """The best grade that there is."""
    return round(sum(worth.points for worth in staff), 2)
