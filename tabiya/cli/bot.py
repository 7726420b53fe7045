"""`tabiya bot PLAYER`: connect a player to a server and let it play."""

from __future__ import annotations

import os

import typer

from tabiya.cli.errors import UserError
from tabiya.cli.settings import SERVER_OPTION, client_settings
from tabiya.cli.tokens import token_for


def bot(
    player: str = typer.Argument(help="Who plays, such as greedy, pvs:6, uci:COMMAND or my_bot.py:MyBot."),
    game: list[str] = typer.Option([], "--game", "-g", help="Game to seek matches in; may be repeated."),
    server: str | None = SERVER_OPTION,
    name: str = typer.Option("", "--name", help="Name on the server; the PLAYER's text if not given."),
    token: str | None = typer.Option(None, "--token", help="The bot's token [TABIYA_TOKEN]."),
    invite: str = typer.Option("", "--invite", "-i", help="Invite code, to register the name [TABIYA_INVITE_SECRET]."),
    time_control: str = typer.Option("", "--time", "-t", help="Time control to seek; the server's if not given."),
    matches: int | None = typer.Option(None, "--matches", "-n", help="Stop after so many matches.", min=1),
    at_once: int = typer.Option(1, "--at-once", help="Matches at the same time.", min=1, max=64),
    depth: int | None = typer.Option(None, "--depth", help="Depth of the search, as in PLAYER:DEPTH.", min=1),
    workers: int | None = typer.Option(
        None, "--workers", "-w", help="Worker processes that think [1; your own class: none].", min=1, max=256
    ),
    threads: int = typer.Option(1, "--threads", help="Threads of each worker.", min=1, max=256),
    version: str = typer.Option("", "--bot-version", help="The bot's version; each is rated separately."),
    wait: float = typer.Option(0.0, "--wait", help="Seconds to wait for a server that is not there yet.", min=0),
    seed: int = typer.Option(0, "--seed", help="Seed of all the player's chance."),
) -> None:
    """Connect PLAYER to a server. Without --game it waits for tournaments and challenges. Ctrl-C ends it."""
    from bots.client import ClientError, run_async
    from bots.client.bot import name_of
    from bots.client.run import run_loop
    from bots.player_spec import PlayerError, player_games
    from bots.pool.as_bot import as_bot

    player = f"{player}:{depth}" if depth is not None else player
    settings = client_settings(server, token)
    try:
        games = tuple(game) or player_games(player)
        thinker = as_bot(player, name=name, version=version, games=games, workers=workers, threads=threads, seed=seed)
        key = token_for(settings, name_of(thinker), invite or os.environ.get("TABIYA_INVITE_SECRET", ""))
        play = run_async(
            thinker,
            settings.server,
            token=key,
            seek=game,
            time=time_control,
            matches=matches,
            at_once=at_once,
            wait_s=wait,
        )
        summary = run_loop(play)
    except (PlayerError, ClientError) as error:
        raise UserError(str(error)) from None
    typer.echo(str(summary))


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(bot)
