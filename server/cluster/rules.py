"""Which games are played here, and by which rules."""

from __future__ import annotations

from tabiya.games.registry import load_game, names


def rules_here() -> dict[str, int]:
    """The version of the rules of each game of this process. Raises GameError if one cannot be loaded."""
    return {name: load_game(name).rules_version for name in names()}
