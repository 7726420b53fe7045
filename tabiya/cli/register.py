"""`tabiya register`: an account for a bot on a server."""

from __future__ import annotations

import os

import typer

from tabiya.cli.api import Api
from tabiya.cli.output import note
from tabiya.cli.settings import SERVER_OPTION, client_settings


def register(
    name: str = typer.Argument(help="Name of the bot."),
    invite: str = typer.Option("", "--invite", "-i", help="Invite code [TABIYA_INVITE_SECRET]."),
    server: str | None = SERVER_OPTION,
) -> None:
    """Register a bot; prints its token on standard output, this once."""
    api = Api(client_settings(server))
    answer = api.post("/api/register", {"name": name, "invite": invite or os.environ.get("TABIYA_INVITE_SECRET", "")})
    note(f"{answer['name']} is registered; keep the token, it is not shown again:")
    typer.echo(answer["token"])


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(register)
