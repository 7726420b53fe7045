"""`tabiya bot PLAYER`: connect a player to a server and let it play."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import typer

from tabiya.api_client.settings import client_settings
from tabiya.api_client.token_files import names_kept
from tabiya.cli.games import COMPILING_ENGINES, games_of, time_control_from
from tabiya.cli.options import (
    FILE_SIZE_OPTION,
    MEMORY_OPTION,
    ON_FAILURE_OPTION,
    SANDBOX_HELP,
    SERVER_OPTION,
    OnFailure,
    sandbox_from,
)
from tabiya.cli.output import note_if_slow
from tabiya.errors import INTERRUPTED, UserError, user_errors
from tabiya.protocol.printable import printable
from tabiya.sandbox.option import SandboxOption

if TYPE_CHECKING:
    from collections.abc import Callable

    from tabiya.bots.client.bot import Bot
    from tabiya.bots.client.connection import Client, RunConfig
    from tabiya.bots.client.events import Listener


def bot(
    player: str = typer.Argument(help="The player, such as greedy, pvs:6, uci:COMMAND or my_bot.py:MyBot."),
    game: list[str] = typer.Option([], "--game", "-g", help="Game to seek matches in; may be repeated."),
    server: str | None = SERVER_OPTION,
    name: str = typer.Option("", "--name", help="Name on the server [the PLAYER's text]."),
    token: str | None = typer.Option(None, "--token", help="The bot's token [TABIYA_TOKEN]."),
    invite: str = typer.Option("", "--invite", "-i", help="Invite code, to register the name [TABIYA_INVITE_SECRET]."),
    time_control: str = typer.Option("", "--time", "-t", help="Time control to seek [the server's]."),
    matches: int | None = typer.Option(None, "--matches", "-n", help="Stop after this many matches.", min=1),
    at_least: float = typer.Option(
        0.0,
        "--at-least",
        help="With --matches: continue with pairs of matches for at least this many seconds.",
        metavar="SECONDS",
        min=0,
    ),
    concurrency: int = typer.Option(1, "--concurrency", help="Matches at the same time.", min=1, max=64),
    depth: int | None = typer.Option(None, "--depth", help="Search depth, as in PLAYER:DEPTH.", min=1),
    workers: int | None = typer.Option(
        None, "--workers", "-w", help="Worker processes for the search [1; your own class: none].", min=1, max=256
    ),
    pool: str = typer.Option(
        "",
        "--pool",
        help="Search on the workers of a Dask cluster, dask://HOST:PORT [on this machine].",
    ),
    threads: int = typer.Option(1, "--threads", help="Threads per worker.", min=1, max=256),
    version: str = typer.Option("", "--bot-version", help="The bot's version; each version has its own rating."),
    connect_timeout: float = typer.Option(
        0.0, "--connect-timeout", help="Seconds to wait until the server is up.", min=0
    ),
    seed: int = typer.Option(0, "--seed", help="Seed of the player's random numbers."),
    on_failure: OnFailure = ON_FAILURE_OPTION,
    seeks: bool = typer.Option(True, "--seek/--no-seek", help="Seek matches in the games of --game."),
    sandbox: SandboxOption | None = typer.Option(None, "--sandbox", help=SANDBOX_HELP),
    memory: int = MEMORY_OPTION,
    file_size: int = FILE_SIZE_OPTION,
) -> None:
    """Connect PLAYER to a server. Without --game it waits for tournaments and challenges. Ctrl-C stops it."""
    from tabiya.bots.client import ClientError
    from tabiya.bots.client.bot import name_of
    from tabiya.bots.client.errors import Rejected
    from tabiya.bots.client.hooks import OnError
    from tabiya.bots.client.run import run_config
    from tabiya.bots.players.spec import PlayerError
    from tabiya.bots.pool.make_bot import make_bot
    from tabiya.cli.remote.register import token_for
    from tabiya.protocol.codes import CloseCode

    if depth is not None:
        if ":" in player:
            raise UserError(f"--depth is for a PLAYER that names no limit, such as pvs, not for {player}")
        player = f"{player}:{depth}"
    check_pool(pool, player, sandbox)
    settings = client_settings(server, token)
    with user_errors(PlayerError, ClientError):
        games = games_of(player, tuple(game), loads=sandbox in (None, SandboxOption.NONE))
        legal = on_failure is OnFailure.LEGAL_MOVE
        more: dict[str, Any] = {"threads": threads, "seed": seed, "emergency_moves": legal}
        more["sandbox"] = sandbox_from(sandbox, memory, file_size)
        if pool:
            from tabiya.dask_cluster.launcher import DaskLauncher
            from tabiya.dask_cluster.player_files import player_files

            more["remote"] = DaskLauncher(pool, player_files(player))
        seek = game if seeks else []
        thinker = make_bot(player, name=name, version=version, games=games, workers=workers, **more)
        key = token_for(settings, name_of(thinker), invite or os.environ.get("TABIYA_INVITE_SECRET", ""))
        plan = run_config(
            thinker,
            settings.server,
            token=key,
            seek=seek,
            time=time_control and time_control_from(time_control),
            matches=matches,
            at_once=concurrency,
            at_least_s=at_least,
            wait_s=connect_timeout,
            on_error=OnError.LEGAL if legal else OnError.RESIGN,
        )
        try:
            play(thinker, plan)
        except Rejected as error:
            if error.code == CloseCode.BAD_TOKEN and not key and (names := names_kept(settings.pages)):
                kept = f"no token of {name_of(thinker)} is kept on this machine, but of {', '.join(names)}"
                raise UserError(f"{error} ({kept}; is --name meant?)") from None
            raise


def play(bot: Bot, plan: RunConfig) -> None:
    """Connect a bot, print what happens and in the end what came out. Raises ClientError, and typer.Exit if stopped."""
    from tabiya.bots.client.connection import Client

    with note_if_slow(COMPILING_ENGINES) as enough:
        client = Client(bot, plan, _listener(tuple(seek.game for seek in plan.session.seeks), enough))
        status = _run(client)
    typer.echo(printable(client.summary))
    if status and plan.session.matches is not None:  # without --matches to be stopped is how it ends
        raise typer.Exit(status)


def check_pool(pool: str, player: str, sandbox: SandboxOption | None) -> None:
    """Whether this PLAYER can think there. Raises UserError."""
    from tabiya.dask_cluster.connect import DASK

    if not pool:
        return
    if not pool.startswith(DASK) or pool == DASK:
        raise UserError(f"--pool is the scheduler of a Dask cluster as {DASK}HOST:PORT, not {pool!r}")
    if player.startswith("program:"):
        raise UserError("--pool is for players in our worker processes; a program: thinks in its own process")
    if sandbox not in (None, SandboxOption.NONE):
        raise UserError("--sandbox is for processes on this machine only; leave it out with --pool")


def _listener(seeks: tuple[str, ...], enough: Callable[[], None]) -> Listener:
    """Prints what happens, and what the bot waits for once it is connected."""
    from tabiya.bots.client.events import Connected, Event, Note, printer

    say = printer()
    waits = f"it seeks matches in {' and '.join(seeks)}" if seeks else "it waits for tournaments and challenges"

    def listen(event: Event) -> None:
        enough()
        say(event)
        if isinstance(event, Connected):
            say(Note(f"{waits}; Ctrl-C ends it"))

    return listen


def _run(client: Client) -> int:
    """Play to the end; the status that a shell gives a process that was interrupted or terminated, otherwise 0."""
    from tabiya.bots.client.run import TERMINATED, run_loop

    try:
        run_loop(client.run())
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit as ended:
        if ended.code != TERMINATED:
            raise
        return TERMINATED
    return 0
