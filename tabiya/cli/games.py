"""Reading games, options, positions and time controls from a command line; every mistake is a UserError."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from tabiya.cli.output import note
from tabiya.errors import UserError, user_errors

COMPILING = "loading the rules (the first time they are compiled, which can take a minute; then they are kept)"
COMPILING_ENGINES = (
    "getting ready: rules and engines are compiled the first time, which can take minutes; then they are kept"
)

OPENINGS_OPTION = typer.Option(
    "",
    "--openings",
    help=(
        "`book` (the game's balanced openings, shuffled by the seed), a file with one position or list "
        "of moves per line, or an .epd, .pgn or Polyglot .bin file. Without it: random openings from the "
        "seed."
    ),
)

if TYPE_CHECKING:
    from tabiya.bots.players.api import Player
    from tabiya.games.contract import Game
    from tabiya.games.position import Position


def option_from(text: str) -> tuple[str, str]:
    """Name and value of a `NAME=VALUE` text."""
    name, equals, value = text.partition("=")
    if not equals:
        raise UserError(f"an option is NAME=VALUE, not {text!r}")
    return name, value


def options_from(game: Game, texts: list[str]) -> dict[str, object]:
    """The options in `NAME=VALUE` texts, checked."""
    from tabiya.games.errors import OptionError

    given: dict[str, object] = dict(map(option_from, texts))
    with user_errors(OptionError):
        game.read_options(given)
    return given


def play_moves(game: Game, position: str | None, options: dict[str, object], moves: str) -> Position:
    """The position after `moves` (separated by spaces) from a position text, or from the start."""
    from tabiya.games.errors import GameError

    with user_errors(GameError):
        at = game.parse(position) if position is not None else game.start(options)
        for move in moves.split():
            at = at.play(move)
    return at


def time_control_from(text: str) -> str:
    """The time control in its usual spelling."""
    from tabiya.protocol.time_control import TimeControlError, parse

    with user_errors(TimeControlError):
        return str(parse(text))


def openings_from(given: str, game: str, seed: int | None, *, shuffled: bool = False, plies: int = 0) -> list[str]:
    """The openings that `--openings` names, none if it was not given. shuffled, plies: as of `given_lines`."""
    from tabiya.games.errors import UnknownGame
    from tabiya.openings import OpeningsError, given_lines

    with user_errors(OpeningsError, UnknownGame):
        return given_lines(given, game, seed, shuffled=shuffled, plies=plies)


@contextmanager
def openings_read_from(given: str) -> Iterator[None]:
    """Says of a bad opening in which file it is. given: as of `openings_from`."""
    from tabiya.api_client.api import Refused
    from tabiya.server.tournaments.openings import OpeningError

    try:
        yield
    except OpeningError as error:
        raise UserError(f"{given}: {error}") from None
    except Refused as error:
        if error.field != OpeningError.field:
            raise
        raise UserError(f"{given}: {error}", error.status) from None


def games_of(player: str, wanted: tuple[str, ...] = (), *, loads: bool = True) -> tuple[str, ...]:
    """The games that a PLAYER shall play, all it can if none is wanted. Raises UserError for one that it cannot.

    loads: whether somebody's file may be loaded here; else it has to be said what it plays, and that is believed.
    """
    from tabiya.bots.players.build import player_games
    from tabiya.bots.players.spec import PlayerError, PlayerKind, parse_player
    from tabiya.games.errors import UnknownGame
    from tabiya.games.registry import title

    with user_errors(PlayerError, UnknownGame):
        if not loads and parse_player(player).kind is PlayerKind.FILE:
            if not wanted:
                raise UserError("with --sandbox the file is not loaded to read its games; name them with --game")
            return wanted
        possible = player_games(player)
        for name in wanted:
            if name not in possible:
                title(name)  # an error for an unknown game
                raise UserError(f"{player} does not play {name}; it plays {', '.join(possible)}")
    return wanted or possible


def player_for(player: str, game: str) -> Player:
    """The PLAYER, to play this game. Raises UserError."""
    from tabiya.bots.players.build import build_player, player_warnings
    from tabiya.bots.players.spec import PlayerError

    games_of(player, (game,))
    with user_errors(PlayerError):
        for sentence in player_warnings(player):
            note(f"tabiya: {sentence}")
        return build_player(player)
