"""`tabiya season`: seasons with divisions on a running server."""

from __future__ import annotations

from typing import Any

import typer

from tabiya.api_client.api import Api
from tabiya.api_client.settings import client_settings
from tabiya.cli.options import OPERATOR_OPTION, SERVER_OPTION
from tabiya.cli.output import FORMAT_OPTION, Format, show, show_json
from tabiya.errors import UserError
from tabiya.protocol.printable import printable

app = typer.Typer(help="Seasons with divisions: begin, end, show.", no_args_is_help=True)

COLUMNS = {
    "division": "division",
    "place": "#",
    "bot": "bot",
    "goes": "goes",
    "rating": "rating",
    "plus_minus": "± 95 %",
    "games": "games",
    "wins": "won",
    "draws": "drawn",
    "losses": "lost",
}
SPARE = (("draws", "losses", "wins"), ("plus_minus",))
SEASON_ARGUMENT = typer.Argument(None, help="Number of the season [the newest].", min=1)


@app.command()
def begin(
    game: str = typer.Argument(help="Name of the game."),
    name: str = typer.Option("", "--name", help="Name of the season."),
    size: int = typer.Option(10, "--size", help="Bots per division.", min=2, max=100),
    moving: int = typer.Option(2, "--moving", help="How many bots move up and down.", min=0, max=50),
    server: str | None = SERVER_OPTION,
    operator_token: str | None = OPERATOR_OPTION,
    form: Format = FORMAT_OPTION,
) -> None:
    """Begin a season with all bots that have played the game or have a program here."""
    order = {"game": game, "name": name, "size": size, "moving": moving}
    _show(Api(client_settings(server, operator_token=operator_token)).post("/seasons", order), form)


@app.command()
def end(
    season: int | None = SEASON_ARGUMENT,
    server: str | None = SERVER_OPTION,
    operator_token: str | None = OPERATOR_OPTION,
    form: Format = FORMAT_OPTION,
) -> None:
    """End a season; the next season starts from its order."""
    api = Api(client_settings(server, operator_token=operator_token))
    _show(api.post(f"/seasons/{season or _newest(api)}/end", {}), form)


@app.command(name="show")
def shown(
    season: int | None = SEASON_ARGUMENT, server: str | None = SERVER_OPTION, form: Format = FORMAT_OPTION
) -> None:
    """Show the divisions of a season."""
    api = Api(client_settings(server))
    _show(api.get(f"/seasons/{season or _newest(api)}"), form)


def _newest(api: Api) -> int:
    seasons = api.get("/seasons")["seasons"]
    if not seasons:
        raise UserError("there has been no season yet; `tabiya season begin GAME` begins one")
    return int(seasons[0]["season"])


def _show(season: dict[str, Any], form: Format) -> None:
    if form is Format.JSON:
        show_json(season)
        return
    divisions = enumerate(season["divisions"], 1)
    rows = [
        {"division": number, "place": place, **each}
        for number, division in divisions
        for place, each in enumerate(division, 1)
    ]
    if form is Format.TABLE:
        typer.echo(printable(f"season {season['season']} of {season['game']}: {season['name']}"))
    show(rows, COLUMNS, form, SPARE)
