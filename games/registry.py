"""The games Tabiya hosts: a line each. Nothing else in the code spells their names.

A game's folder is imported when it is first asked for, so that listing games loads no compiler and a player of one
game does not wait for the tables of another.
"""

from __future__ import annotations

import copyreg
import functools
import importlib
from typing import TYPE_CHECKING, Any, NamedTuple

from tabiya.games.errors import UnknownGame, shown

if TYPE_CHECKING:
    from tabiya.games.contract import Game


class RegisteredGame(NamedTuple):
    """Where a game's rules are: `module` has the class `rules`, made with name, title and `numbers`."""

    title: str
    module: str
    rules: str
    numbers: dict[str, int]


def registered(title: str, module: str, rules: str, **numbers: int) -> RegisteredGame:
    """One line of the registry."""
    return RegisteredGame(title, module, rules, numbers)


MNK = "tabiya.games.mnk"

GAMES: dict[str, RegisteredGame] = {
    "nim": registered("Nim", "tabiya.games.nim", "Nim"),
    "tictactoe": registered("Tic-tac-toe", MNK, "Mnk", columns=3, rows=3, k=3, opening_plies=1),
    "connect5": registered("Connect 5", MNK, "Mnk", columns=15, rows=15, k=5, largest=20, opening_plies=4),
    "reversi": registered("Reversi", "tabiya.games.reversi", "Reversi"),
    "chess": registered("Chess", "tabiya.games.chess", "Chess"),
}

PGN_GAME = "chess"
"""The game of transcripts that do not say which: those of all other programs."""


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
    copyreg.pickle(type(game), _reduced)
    return game


def _reduced(game: Game) -> str | tuple[Any, ...]:
    """How a game is pickled: in another process it is the registered game of that name, not a copy."""
    registered_one = game.name in GAMES and load_game(game.name) is game
    return (load_game, (game.name,)) if registered_one else game.__reduce_ex__(2)


def _find(name: str) -> RegisteredGame:
    try:
        return GAMES[name]
    except KeyError:
        raise UnknownGame(f"there is no game {shown(name)} (there are: {', '.join(GAMES)})") from None
