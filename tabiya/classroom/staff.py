"""Staff bots: bots of a stated level whose points every submission can earn, independent of its classmates."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from tabiya.server.grading.formula import BotPoints

GRAMMAR = "PLAYER=POINTS, PLAYER=POINTS@PERCENT or PLAYER=POINTS@PERCENT-PERCENT, as in greedy=4@25-75"
LONGEST_NAME = 40  # of an account
NUMBER = r"[0-9]{1,6}(?:\.[0-9]{1,6})?"
GRADE_POINTS = re.compile(rf"(?P<points>{NUMBER})(?:@(?P<nothing>{NUMBER})(?:-(?P<all>{NUMBER}))?)?")


class StaffError(ValueError):
    """A text that names no staff bot; one sentence."""


class StaffBot(BotPoints, frozen=True, kw_only=True):
    """One staff bot and what it is worth. player: a PLAYER."""

    player: str

    @property
    def name(self) -> str:
        """Its name on the run's server, in signs that a name may have."""
        name = re.sub(r"[^\w.:+-]+", "-", unicodedata.normalize("NFKC", self.player))
        return f"staff {name}"[:LONGEST_NAME]


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
    found = GRADE_POINTS.fullmatch(worth)
    if not equals or not player or found is None:
        raise StaffError(f"--staff takes {GRAMMAR}, not {text!r}")
    nothing_to = float(found["nothing"] or 0)
    all_from = float(found["all"] or found["nothing"] or 100)
    bot = StaffBot(player=player, points=float(found["points"]), nothing_to=nothing_to, all_from=all_from)
    if bot.fault:
        raise StaffError(bot.fault)
    return bot
