"""`tabiya register`: an account for a bot on a server."""

from __future__ import annotations

import os

import typer

from tabiya.api_client.settings import client_settings
from tabiya.cli.options import SERVER_OPTION
from tabiya.cli.tokens import register as register_bot


def register(
    name: str = typer.Argument(help="Name of the bot."),
    invite: str = typer.Option("", "--invite", "-i", help="Invite code [TABIYA_INVITE_SECRET]."),
    server: str | None = SERVER_OPTION,
) -> None:
    """Register a bot; its token is printed, this once, and kept for `tabiya bot --name NAME` on this machine."""
    typer.echo(register_bot(client_settings(server), name, invite or os.environ.get("TABIYA_INVITE_SECRET", "")))


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(register)
