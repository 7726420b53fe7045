"""`tabiya check PLAYER`: drive a bot through the protocol and grade it."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from typing import TYPE_CHECKING

import typer

from tabiya.cli.output import note, show_json
from tabiya.errors import UserError
from tabiya.loaded_game import game_named

if TYPE_CHECKING:
    from tabiya.check.scenario import ScenarioResult


class CheckFormat(StrEnum):
    """How the report is printed."""

    TEXT = "text"
    JSON = "json"


def check(
    player: str = typer.Argument(
        help=(
            "A PLAYER such as my_bot.py:MyBot, or a command such as 'node bot.mjs'. The server's address "
            "replaces {url} in it, or is added as the last argument."
        )
    ),
    game: list[str] = typer.Option([], "--game", "-g", help="Game to check [the games that the bot names]."),
    time_limit: float = typer.Option(600.0, "--time-limit", help="Time limit for the whole check, in seconds.", min=1),
    form: CheckFormat = typer.Option(CheckFormat.TEXT, "--format", help="How to print: text or json."),
) -> None:
    """Test a bot with everything that a server may send, and grade it; exit status 0 only for full marks."""
    from tabiya.bots.players.spec import PlayerError
    from tabiya.check.command import launcher_for
    from tabiya.check.outcomes import CannotStart
    from tabiya.check.report import report_text, report_values
    from tabiya.check.run import check as check_bot
    from tabiya.check.scripted_server import WebsocketServer

    games = tuple(game_named(name).name for name in game)
    try:
        launcher = launcher_for(player, games)
        run = check_bot(launcher, WebsocketServer(), games=games, time_limit_s=time_limit, progress=_say)
        report = asyncio.run(run)
    except (PlayerError, CannotStart) as error:
        raise UserError(str(error)) from None
    except OSError as error:
        raise UserError(f"cannot listen on this machine: {error.strerror or error}") from None
    if form is CheckFormat.JSON:
        show_json(report_values(report))
    else:
        typer.echo(report_text(report))
    raise typer.Exit(0 if report.ready else 1)


def _say(result: ScenarioResult, done: int, total: int) -> None:
    from tabiya.check.scenario import Status

    if result.status is not Status.NOT_REACHED:  # the report has these in one line
        note(f"{done:3} of {total}  {result.scenario.name}: {result.status} ({result.took_s:.1f} s)")
