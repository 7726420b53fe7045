"""`tabiya webhook URL`: a bot whose moves are asked for by HTTP, one POST a turn."""

from __future__ import annotations

import os

import typer

from tabiya.api_client.settings import client_settings
from tabiya.cli.games import time_control_from
from tabiya.cli.options import SERVER_OPTION, TOKEN_OPTION
from tabiya.cli.players.bot import play
from tabiya.errors import user_errors


def webhook(
    url: str = typer.Argument(help="Address that gets each turn, such as https://example.org/move."),
    game: list[str] = typer.Option([], "--game", "-g", help="Game to seek matches in; may be repeated."),
    server: str | None = SERVER_OPTION,
    name: str = typer.Option("webhook", "--name", help="Name on the server."),
    token: str | None = TOKEN_OPTION,
    invite: str = typer.Option("", "--invite", "-i", help="Invite code, to register the name [TABIYA_INVITE_SECRET]."),
    time_control: str = typer.Option("", "--time", "-t", help="Time control to seek [the server's]."),
    matches: int | None = typer.Option(None, "--matches", "-n", help="Stop after this many matches.", min=1),
    concurrency: int = typer.Option(1, "--concurrency", help="Matches at the same time.", min=1, max=64),
    version: str = typer.Option("", "--bot-version", help="The bot's version; each version has its own rating."),
) -> None:
    """Connect a bot that answers HTTP requests. TABIYA_WEBHOOK_SECRET signs the requests. Ctrl-C stops it."""
    from tabiya.bots.adapters.webhook_bot import WebhookBot, WebhookError
    from tabiya.bots.client import ClientError
    from tabiya.bots.client.run import run_config
    from tabiya.cli.remote.register import token_for

    settings = client_settings(server, token)
    with user_errors(WebhookError, ClientError):
        bot = WebhookBot(url, secret=os.environ.get("TABIYA_WEBHOOK_SECRET", ""), name=name, version=version)
        plan = run_config(
            bot,
            settings.server,
            token=token_for(settings, name, invite or os.environ.get("TABIYA_INVITE_SECRET", "")),
            seek=game,
            time=time_control and time_control_from(time_control),
            matches=matches,
            at_once=concurrency,
        )
        play(bot, plan)
