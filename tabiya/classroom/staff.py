"""Staff bots: bots of a stated level whose points every submission can earn, whatever its classmates do."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

from msgspec import Struct

GRAMMAR = "PLAYER=POINTS, PLAYER=POINTS@PERCENT or PLAYER=POINTS@PERCENT-PERCENT, as in greedy=4@25-75"
MOST_POINTS = 1_000.0
LONGEST_NAME = 40  # of an account
NUMBER = r"[0-9]{1,6}(?:\.[0-9]{1,6})?"
WORTH = re.compile(rf"(?P<points>{NUMBER})(?:@(?P<nothing>{NUMBER})(?:-(?P<all>{NUMBER}))?)?")


class StaffError(ValueError):
    """A text that names no staff bot; one sentence."""


class StaffBot(Struct, frozen=True, kw_only=True):
    """One staff bot and what it is worth.

    player: a PLAYER.  points: what a submission can earn against it.  nothing_to, all_from: percent of the games'
    points up to which nothing is earned and from which everything is.
    """

    player: str
    points: float
    nothing_to: float = 0.0
    all_from: float = 100.0

    @property
    def name(self) -> str:
        """Its name on the run's server, in signs that a name may have."""
        name = re.sub(r"[^\w.:+-]+", "-", unicodedata.normalize("NFKC", self.player))
        return f"staff {name}"[:LONGEST_NAME]


Score = tuple[float, int]
"""Points and games of one submission against one staff bot."""


def grade(staff: Sequence[StaffBot], scores: Mapping[str, Score]) -> float:
    """The grade of a submission: the sum of what it has earned against each staff bot, nothing without a game.

    With s percent of the points of its games against a staff bot (win 1, draw 1/2) a submission earns of that bot's
    points: all if s is `all_from` or more, else none if s is `nothing_to` or less, else the share
    (s - nothing_to) / (all_from - nothing_to). scores: by the staff bots' names.
    """
    earned = 0.0
    for bot in staff:
        taken, games = scores.get(bot.name, (0.0, 0))
        percent = 100 * taken / games if games else None
        if percent is None:
            continue
        if percent >= bot.all_from:
            earned += bot.points
        elif percent > bot.nothing_to:
            earned += bot.points * (percent - bot.nothing_to) / (bot.all_from - bot.nothing_to)
    return round(earned, 2)


def most_points(staff: Sequence[StaffBot]) -> float:
    """The best grade that there is."""
    return round(sum(bot.points for bot in staff), 2)


def read_staff(texts: Sequence[str]) -> tuple[StaffBot, ...]:
    """The staff bots in texts of the grammar, all different. Raises StaffError."""
    staff = tuple(map(_staff_bot, texts))
    names = [bot.name.casefold() for bot in staff]
    for bot in staff:
        if names.count(bot.name.casefold()) > 1:
            raise StaffError(f"--staff names {bot.player} twice, or two that would both be called {bot.name}")
    return staff


def _staff_bot(text: str) -> StaffBot:
    # from the right: a PLAYER may hold equals signs of its own, a worth holds none
    player, equals, worth = text.rpartition("=")
    found = WORTH.fullmatch(worth)
    if not equals or not player or found is None:
        raise StaffError(f"--staff takes {GRAMMAR}, not {text!r}")
    points = float(found["points"])
    if not 0 < points <= MOST_POINTS:
        raise StaffError(f"a staff bot is worth more than 0 and at most {MOST_POINTS:g} points, not {found['points']}")
    if found["nothing"] is None:
        return StaffBot(player=player, points=points)
    nothing_to = float(found["nothing"])
    all_from = nothing_to if found["all"] is None else float(found["all"])
    if not 0 <= nothing_to <= all_from <= 100 or all_from == 0:
        raise StaffError(
            f"the bounds of a staff bot are percents, the lower one first and the upper one more than 0, not {worth!r}"
        )
    return StaffBot(player=player, points=points, nothing_to=nothing_to, all_from=all_from)
