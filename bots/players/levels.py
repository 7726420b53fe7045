"""The graded opponents of each game, by name, from any legal move to perfect play. Loads no compiler."""

from __future__ import annotations

from tabiya.bots.players.catalogue import LEVELS, Level

__all__ = ["Level", "level_games", "level_names", "roster"]


def roster(game: str) -> tuple[Level, ...]:
    """The levels of a game, weakest first; none for a game without."""
    return LEVELS.get(game, ())


def level_names() -> tuple[str, ...]:
    """The names of all levels, each once, weakest first as far as games agree."""
    return tuple(dict.fromkeys(level.name for levels in LEVELS.values() for level in levels))


def level_games(name: str) -> tuple[str, ...]:
    """The games that have a level of this name."""
    return tuple(game for game, levels in LEVELS.items() if any(level.name == name for level in levels))
