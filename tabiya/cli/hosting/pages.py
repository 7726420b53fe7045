"""`tabiya pages`: pages and API of a server in a process of their own."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tabiya.bots.client.address import parse_address
from tabiya.bots.client.errors import AddressError
from tabiya.cli.games import COMPILING
from tabiya.cli.hosting.serve import forget_addresses, write_addresses
from tabiya.cli.options import (
    HOST_OPTION,
    LOG_JSON_OPTION,
    LOG_LEVEL_OPTION,
    PAGES_PORT_OPTION,
    PUBLIC_URL_OPTION,
    LogLevel,
)
from tabiya.cli.output import note, note_if_slow
from tabiya.errors import UserError, user_errors
from tabiya.processes.server_process import run_loop, run_pages, signals_end_at_once, warm_rules

if TYPE_CHECKING:
    from tabiya.server.pages_process.process import PagesProcess

ALLOWED = "write http://HOST:PORT, the address of the server's pages"


def pages(
    live: str = typer.Option(..., "--live", help="Address of the server's pages; add its standby servers with commas."),
    database: str | None = typer.Option(
        None,
        "--database",
        "-d",
        help="The server's database: postgresql://…, or a file on the same machine [tabiya.db].",
    ),
    host: str | None = HOST_OPTION,
    pages_port: int | None = PAGES_PORT_OPTION,
    public_url: str | None = PUBLIC_URL_OPTION,
    log_level: LogLevel = LOG_LEVEL_OPTION,
    log_json: bool = LOG_JSON_OPTION,
    ready_file: Path | None = typer.Option(None, "--ready-file", help="Write the address to this JSON file."),
) -> None:
    """Show a server's pages from another process or machine, so that spectators do not slow down play."""
    # several threads for a fit of the ratings would spin beside what else this machine does
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from tabiya.server.config import ConfigError, read_config
    from tabiya.server.logs import set_up_logging

    addresses = live_addresses(live)
    with user_errors(ConfigError):
        config = read_config(os.environ, host=host, pages_port=pages_port, database_url=database, public_url=public_url)
    set_up_logging(log_level.value, as_json=log_json)
    say = logging.getLogger("tabiya.pages").info if log_json else note
    forget_addresses(ready_file)
    with note_if_slow(COMPILING) as enough:
        with signals_end_at_once():
            warm_rules()

        def ready(process: PagesProcess) -> None:
            enough()
            say(f"pages of {' or '.join(addresses)} are at {process.pages_url}, data: {process.store.address}")
            if ready_file is not None:
                write_addresses({"pages": process.pages_url}, ready_file)

        try:
            run_loop(run_pages(config, addresses, ready))
        finally:
            forget_addresses(ready_file)


def live_addresses(text: str) -> list[str]:
    """The addresses of a server's pages, as given with commas. Raises UserError."""
    found = []
    for each in text.split(","):
        with user_errors(AddressError):
            address = parse_address(each)
        if address.scheme not in ("", "http", "https") or address.path:
            raise UserError(f"{each.strip()} is not where a server has its pages; {ALLOWED}")
        found.append(address.url(address.scheme or "http"))
    return found
