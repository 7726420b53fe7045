"""Loads a game by name for a command. The error of a package's game names the line that fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabiya.errors import UserError, user_errors

if TYPE_CHECKING:
    from tabiya.games.contract import Game


def game_named(name: str) -> Game:
    """The game of that name. Raises UserError."""
    from tabiya.bots.client.failure import failure_of
    from tabiya.games.errors import GameError, UnknownGame
    from tabiya.games.registry import load_game

    try:
        with user_errors(UnknownGame):
            return load_game(name)
    except GameError as error:
        failure = failure_of(error.__cause__ or error, f"loading the game {name}")
        raise UserError(str(error), failure=failure) from None
