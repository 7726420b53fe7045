"""`tabiya host`: play matches of a server in a process of their own."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

import typer

from tabiya.cli.games import COMPILING
from tabiya.cli.hosting.gateway import BUS_HELP
from tabiya.cli.options import LOG_JSON_OPTION, LOG_LEVEL_OPTION, LogLevel
from tabiya.cli.output import note, note_if_slow
from tabiya.errors import UserError, user_errors
from tabiya.processes.server_process import run_host, run_loop, signals_end_at_once, warm_rules

if TYPE_CHECKING:
    from tabiya.server.cluster.host_process import HostProcess


def host(
    bus: str | None = typer.Option(None, "--bus", help=BUS_HELP),
    database: str | None = typer.Option(
        None,
        "--database",
        "-d",
        help="The server's database: postgresql://…, or a file on the same machine [TABIYA_DATABASE_URL].",
    ),
    log_level: LogLevel = LOG_LEVEL_OPTION,
    log_json: bool = LOG_JSON_OPTION,
) -> None:
    """Play matches for `tabiya serve --bus`, in a process that may start and stop at any time."""
    from tabiya.server.config import ConfigError, read_config
    from tabiya.server.logs import set_up_logging

    with user_errors(ConfigError):
        config = read_config(os.environ, database_url=database, bus_url=bus)
    if not config.bus_url:
        raise UserError("a host needs a bus: --bus nats://HOST:4222 or unix:FOLDER, or TABIYA_BUS_URL")
    set_up_logging(log_level.value, as_json=log_json)
    say = logging.getLogger("tabiya.host").info if log_json else note
    with note_if_slow(COMPILING) as enough:
        with signals_end_at_once():
            warm_rules()

        def ready(process: HostProcess) -> None:
            enough()
            say(f"Tabiya host {process.host.number} plays matches of {process.store.address}")

        run_loop(run_host(config, ready))
