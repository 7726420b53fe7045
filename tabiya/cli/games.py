"""Reading games, options, positions and time controls from a command line; every mistake is a UserError."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from tabiya.errors import UserError

COMPILING = "loading the rules (the first time they are compiled, which can take a minute; then they are kept)"

OPENINGS_OPTION = typer.Option(
    "",
    "--openings",
    help="`book`: the game's balanced openings, in an order drawn by the seed; or a file with an opening a line, a "
    "position or moves. Drawn at random by the seed if not given.",
)

if TYPE_CHECKING:
    from tabiya.bots.players.api import Player
    from tabiya.games.contract import Game
    from tabiya.games.position import Position


def the_game(name: str) -> Game:
    """The game of that name."""
    from tabiya.games.errors import UnknownGame
    from tabiya.games.registry import load_game

    try:
        return load_game(name)
    except UnknownGame as error:
        raise UserError(str(error)) from None


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
    try:
        game.read_options(given)
    except OptionError as error:
        raise UserError(str(error)) from None
    return given


def play_moves(game: Game, position: str | None, options: dict[str, object], moves: str) -> Position:
    """The position after `moves` (separated by spaces) from a position text, or from the start."""
    from tabiya.games.errors import GameError

    try:
        at = game.parse(position) if position is not None else game.start(options)
        for move in moves.split():
            at = at.play(move)
    except GameError as error:
        raise UserError(str(error)) from None
    return at


def time_control_from(text: str) -> str:
    """The time control in its usual spelling."""
    from tabiya.protocol.time_control import TimeControlError, parse

    try:
        return str(parse(text))
    except TimeControlError as error:
        raise UserError(str(error)) from None


def openings_from(given: str, game: str, seed: int | None) -> list[str]:
    """The openings that `--openings` names, none if it was not given."""
    from tabiya.games.errors import UnknownGame
    from tabiya.openings import OpeningsError, given_lines

    try:
        return given_lines(given, game, seed)
    except (OpeningsError, UnknownGame) as error:
        raise UserError(str(error)) from None


def games_of(player: str, wanted: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The games that a PLAYER shall play, all it can if none is wanted. Raises UserError for one that it cannot."""
    from tabiya.bots.players.build import player_games
    from tabiya.bots.players.spec import PlayerError
    from tabiya.games.errors import UnknownGame
    from tabiya.games.registry import title

    try:
        possible = player_games(player)
        for name in wanted:
            if name not in possible:
                title(name)
                raise UserError(f"{player} does not play {name}; it plays {', '.join(possible)}")
    except (PlayerError, UnknownGame) as error:
        raise UserError(str(error)) from None
    return wanted or possible


def player_for(player: str, game: str) -> Player:
    """The PLAYER, to play this game. Raises UserError."""
    from tabiya.bots.players.build import build_player
    from tabiya.bots.players.spec import PlayerError

    games_of(player, (game,))
    try:
        return build_player(player)
    except PlayerError as error:
        raise UserError(str(error)) from None
