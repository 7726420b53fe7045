"""The games Tabiya hosts: a line each. Nothing else in the code spells their names.

A game's folder is imported when it is first asked for, so that listing games loads no compiler and a player of one
game does not wait for the tables of another.
"""

from __future__ import annotations

import functools
import importlib
from typing import TYPE_CHECKING, NamedTuple

from tabiya.games.errors import UnknownGame, shown

if TYPE_CHECKING:
    from tabiya.games.contract import Game


class Line(NamedTuple):
    """Where a game's rules are: `module` has the class `rules`, made with name, title and `numbers`."""

    title: str
    module: str
    rules: str
    numbers: dict[str, int]


def line(title: str, module: str, rules: str, **numbers: int) -> Line:
    """One line of the registry."""
    return Line(title, module, rules, numbers)


GAMES: dict[str, Line] = {
    "nim": line("Nim", "tabiya.games.nim", "Nim"),
    "tictactoe": line("Tic-tac-toe", "tabiya.games.mnk", "Mnk", columns=3, rows=3, k=3, opening_plies=1),
    "connect5": line("Connect 5", "tabiya.games.mnk", "Mnk", columns=15, rows=15, k=5, largest=20, opening_plies=4),
    "reversi": line("Reversi", "tabiya.games.reversi", "Reversi"),
    "chess": line("Chess", "tabiya.games.chess", "Chess"),
}


def names() -> tuple[str, ...]:
    """The registered names, in the order of the registry."""
    return tuple(GAMES)


def title(name: str) -> str:
    """What people call the game registered as `name`; loads nothing. Raises UnknownGame."""
    return _find(name).title


@functools.cache
def load_game(name: str) -> Game:
    """The game registered as `name`, always the same object. Raises UnknownGame."""
    found = _find(name)
    rules = getattr(importlib.import_module(found.module), found.rules)
    game: Game = rules(name, found.title, **found.numbers)
    return game


def is_registered(game: Game) -> bool:
    """Whether `load_game(game.name)` is this very game."""
    return game.name in GAMES and load_game(game.name) is game


def _find(name: str) -> Line:
    try:
        return GAMES[name]
    except KeyError:
        raise UnknownGame(f"there is no game {shown(name)} (there are: {', '.join(GAMES)})") from None
