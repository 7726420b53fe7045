"""`tabiya register`: an account for a bot on a server; and the tokens of accounts, found and kept for commands."""

from __future__ import annotations

import os

import typer

from tabiya.api_client.api import Api
from tabiya.api_client.settings import ClientSettings, client_settings
from tabiya.api_client.token_files import keep, kept_elsewhere, known_token, token_path
from tabiya.cli.options import SERVER_OPTION
from tabiya.cli.output import note


def register(
    name: str = typer.Argument(help="Name of the bot."),
    invite: str = typer.Option("", "--invite", "-i", help="Invite code [TABIYA_INVITE_SECRET]."),
    server: str | None = SERVER_OPTION,
) -> None:
    """Register a bot. Its token is printed once, and saved on this machine for `tabiya bot --name NAME`."""
    typer.echo(new_account(client_settings(server), name, invite or os.environ.get("TABIYA_INVITE_SECRET", "")))


def token_for(settings: ClientSettings, name: str, invite: str) -> str:
    """The token for `name`: given, saved, or, with an invite code, that of a new account; else empty."""
    token = settings.token or known_token(settings.pages, name)
    if token:
        return token
    for server in kept_elsewhere(settings.pages, name):
        note(
            f"a token of {name} is kept for {server}; if {settings.pages} is the same server under a new address: "
            f"tabiya account keep {name!r} --from {server} --server {settings.pages}"
        )
    return new_account(settings, name, invite) if invite else ""


def new_account(settings: ClientSettings, name: str, invite: str) -> str:
    """Make an account, keep its token and return it. Raises UserError."""
    # strip: a code is often pasted, with a space or a line's end behind it
    answer = Api(settings).post("/register", {"name": name, "invite": invite.strip()})
    token = str(answer["token"])
    keep_token_and_report(settings, str(answer["name"]), token, f"{answer['name']} is registered; its token")
    return token


def keep_token_and_report(settings: ClientSettings, name: str, token: str, what: str) -> None:
    """Keep a token for later commands, and say where, or the token if it cannot be kept. what: begins the sentence."""
    path = token_path(settings.pages, name)
    try:
        keep(settings.pages, name, token)
    except OSError as error:
        note(f"{what} is {token} (it could not be saved in {path}: {error.strerror})")
    else:
        note(f"{what} is kept in {path}")
