"""The games Tabiya hosts: a line each, and those of installed packages. Nothing else in the code spells their names.

A game's folder is imported when it is first asked for, so that listing games loads no compiler and a player of one
game does not wait for the tables of another. A package has a line of its own, to which its entry point leads:

    GAME = registered("Connect Four", "tabiya_connect4.rules", "ConnectFour")     # tabiya_connect4/__init__.py
    [project.entry-points."tabiya.games"]                                         # pyproject.toml
    connect4 = "tabiya_connect4:GAME"
"""

from __future__ import annotations

import copyreg
import functools
import importlib
import logging
import re
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, NamedTuple

from tabiya.games.errors import GameError, UnknownGame, shown

if TYPE_CHECKING:
    from tabiya.games.contract import Game

log = logging.getLogger("tabiya.games")

ENTRY_POINTS = "tabiya.games"
NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")


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

OURS: dict[str, RegisteredGame] = {
    "nim": registered("Nim", "tabiya.games.nim", "Nim"),
    "tictactoe": registered("Tic-tac-toe", MNK, "Mnk", columns=3, rows=3, k=3, opening_plies=1),
    "connect5": registered("Connect 5", MNK, "Mnk", columns=15, rows=15, k=5, largest=20, opening_plies=4),
    "reversi": registered("Reversi", "tabiya.games.reversi", "Reversi"),
    "chess": registered("Chess", "tabiya.games.chess", "Chess"),
    "chess960": registered("Chess960", "tabiya.games.chess960", "Chess960"),
}

PGN_GAME = "chess"
"""The game of transcripts that do not say which: those of all other programs."""
PGN_VARIANTS = dict.fromkeys(("chess960", "chess 960", "fischerandom", "fischer random"), "chess960")
"""Of such transcripts those whose tag Variant, in small letters, names another game."""


@functools.cache
def all_games() -> dict[str, RegisteredGame]:
    """Ours, in the order of their lines, and then those of installed packages by name.

    What cannot be a game is left out with a warning: one package that is broken must not keep the others away.
    """
    found = dict(OURS)
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        try:
            found[point.name] = _registered_by(point, found)
        except Exception as error:
            log.warning("the game %s of %s is left out: %s", shown(point.name), package_of(point), error)
    return found


def _registered_by(point: EntryPoint, taken: dict[str, RegisteredGame]) -> RegisteredGame:
    if not NAME.fullmatch(point.name):
        raise GameError("a name has small letters, digits and _, begins with a letter, and is at most 32 long")
    if point.name in taken:
        raise GameError("there is a game of that name")
    line = point.load()
    if not isinstance(line, RegisteredGame):
        raise GameError(f"{point.value} is not an entry of the registry, as `registered(...)` makes it")
    return line


def package_of(point: EntryPoint) -> str:
    """The package that an entry point comes from, with its version."""
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else "a package"


def names() -> tuple[str, ...]:
    """The registered names, in the order of the registry."""
    return tuple(all_games())


def title(name: str) -> str:
    """What people call the game registered as `name`; loads nothing. Raises UnknownGame."""
    return registered_as(name).title


@functools.cache
def load_game(name: str) -> Game:
    """The game registered as `name`, always the same object. Raises UnknownGame; GameError if it cannot be loaded."""
    found = registered_as(name)
    try:
        rules = getattr(importlib.import_module(found.module), found.rules)
        game: Game = rules(name, found.title, **found.numbers)
    except Exception as error:
        if name in OURS:
            raise
        raise GameError(f"the game {name} cannot be loaded: {type(error).__name__}: {error}") from error
    copyreg.pickle(type(game), _reduced)
    return game


def _reduced(game: Game) -> str | tuple[Any, ...]:
    """How a game is pickled: in another process it is the registered game of that name, not a copy."""
    is_registered = game.name in all_games() and load_game(game.name) is game
    return (load_game, (game.name,)) if is_registered else game.__reduce_ex__(2)


def registered_as(name: str) -> RegisteredGame:
    """The line of a game. Raises UnknownGame."""
    try:
        return all_games()[name]
    except KeyError:
        raise UnknownGame(f"there is no game {shown(name)} (there are: {', '.join(names())})") from None
