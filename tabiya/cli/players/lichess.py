"""`tabiya lichess`: clients of Lichess's Bot API as players."""

from __future__ import annotations

import asyncio
import logging

import typer

from tabiya.api_client.settings import client_settings
from tabiya.bots.players.catalogue import CHESS, CHESS960
from tabiya.cli.games import time_control_from
from tabiya.cli.options import LOG_JSON_OPTION, LOG_LEVEL_OPTION, SERVER_OPTION, LogLevel
from tabiya.cli.output import note
from tabiya.errors import UserError, user_errors


def lichess(
    server: str | None = SERVER_OPTION,
    host: str = typer.Option("127.0.0.1", "--host", help="Address to bind."),
    port: int = typer.Option(9669, "--port", help="Port to listen on; 0: any free one.", min=0, max=65_535),
    seek: str = typer.Option("", "--seek", help="Seek matches for every bot at this time control, such as 60+1."),
    game: list[str] = typer.Option(
        [CHESS], "--game", "-g", help=f"Game to seek matches in, {CHESS} or {CHESS960}; may be repeated."
    ),
    concurrency: int = typer.Option(1, "--concurrency", help="Matches per bot at the same time.", min=1, max=64),
    log_level: LogLevel = LOG_LEVEL_OPTION,
    log_json: bool = LOG_JSON_OPTION,
) -> None:
    """Let clients of Lichess's Bot API, such as lichess-bot and BotLi, play on a server. Ctrl-C stops it."""
    from tabiya.lichess.app import LichessApi
    from tabiya.processes.server_process import allow_many_files, run_loop, stop_on_signals
    from tabiya.server.logs import set_up_logging
    from tabiya.server.transport.listening import StartError, cannot_listen, host_in_url

    settings = client_settings(server)
    time_control = time_control_from(seek) if seek else ""
    if unknown := [name for name in game if name not in (CHESS, CHESS960)]:
        raise UserError(f"by this API {CHESS} and {CHESS960} are played, not {unknown[0]!r}")
    set_up_logging(log_level.value, as_json=log_json)
    say = logging.getLogger("tabiya.lichess").info if log_json else note

    async def run() -> None:
        stop = asyncio.Event()
        stop_on_signals(stop)
        allow_many_files()
        api = LichessApi(settings, seek=time_control, games=game, at_once=concurrency)
        with user_errors(StartError):
            try:
                bound = await api.start(host, port)
            except OSError as error:
                raise cannot_listen(error, host, port) from error
        say(f"clients of Lichess's API: url http://{host_in_url(host)}:{bound}/ for bots of {settings.pages}")
        await stop.wait()
        await api.stop()

    run_loop(run())
