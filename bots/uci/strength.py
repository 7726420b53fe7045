"""Options for weaker play: the levels of the roster that are the playing engine at a fixed depth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tabiya.bots.players.catalogue import levels_of
from tabiya.bots.players.spec import ENGINE, parse_player
from tabiya.bots.uci.options import Option, Settings

FULL = "full"


class StrengthLevel(NamedTuple):
    """One level. depth: in plies.  margin: see bots/players/search_player.py.  elo: as measured, None if it was not."""

    name: str
    depth: int
    margin: int
    elo: int | None


class StrengthOptions:
    """The levels of a game, and the options by which one is chosen."""

    def __init__(self, game: str) -> None:
        self._levels = tuple(_engine_levels(game))
        self._rated = [level for level in self._levels if level.elo is not None]
        self._level = Option("Level", "combo", FULL, choices=(FULL, *(level.name for level in self._levels)))
        self._limits = Option("UCI_LimitStrength", "check", False)
        ratings = [level.elo or 0 for level in self._rated] or [0]
        self._elo = Option("UCI_Elo", "spin", max(ratings), min(ratings), max(ratings))

    @property
    def options(self) -> tuple[Option, ...]:
        """The options; none in a game without such levels."""
        named = (self._level,) if self._levels else ()
        return (*named, self._limits, self._elo) if self._rated else named

    def chosen(self, settings: Settings) -> StrengthLevel | None:
        """The level to play at, None for full strength. Of those not above UCI_Elo the strongest; Level goes first."""
        name = settings.text(self._level)
        for level in self._levels:
            if level.name == name:
                return level
        if not self._rated or not settings.flag(self._limits):
            return None
        asked = settings.number(self._elo)
        return max((level for level in self._rated if (level.elo or 0) <= asked), key=lambda level: level.elo or 0)


def _engine_levels(game: str) -> Iterator[StrengthLevel]:
    for level in levels_of(game):
        if level.player.startswith(ENGINE):
            spec = parse_player(level.player)
            if spec.depth is not None:
                yield StrengthLevel(level.name, spec.depth, spec.margin, level.elo)
