"""The games Tabiya hosts: a line each. Nothing else in the code spells their names."""

from __future__ import annotations

from games.contract import Game
from games.errors import UnknownGame, shown
from games.mnk import Mnk

GAMES: dict[str, Game] = {
    game.name: game
    for game in (
        Mnk("tictactoe", "Tic-tac-toe", columns=3, rows=3, k=3),
        Mnk("connect5", "Connect 5", columns=15, rows=15, k=5, largest=20),
    )
}


def names() -> tuple[str, ...]:
    """The registered names, in the order of the registry."""
    return tuple(GAMES)


def load_game(name: str) -> Game:
    """The game registered as `name`. Raises UnknownGame."""
    try:
        return GAMES[name]
    except (KeyError, TypeError):
        raise UnknownGame(f"there is no game {shown(name)} (there are: {', '.join(GAMES)})") from None
