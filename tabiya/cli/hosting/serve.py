"""`tabiya serve`: run a server until it is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from msgspec.structs import replace

from tabiya.api_client.token_files import OPERATOR, keep
from tabiya.bots.gc_tuning import collect_after_loading
from tabiya.cli.games import COMPILING, games_of
from tabiya.cli.options import (
    HOST_OPTION,
    LOG_JSON_OPTION,
    LOG_LEVEL_OPTION,
    PAGES_PORT_OPTION,
    PORT_OPTION,
    PUBLIC_URL_OPTION,
    SANDBOX_HELP,
    LogLevel,
    available_sandbox,
)
from tabiya.cli.output import note, note_if_slow
from tabiya.cli.players.new import start_of
from tabiya.cli.whole_file import write_whole
from tabiya.errors import UserError, user_errors
from tabiya.hosting.limits import FILE_MB, MEMORY_MB
from tabiya.processes.child_processes import ChildProcesses
from tabiya.processes.hosts_of_server import HostsOfServer
from tabiya.processes.programs import exit_text
from tabiya.processes.server_process import run_loop, run_server
from tabiya.sandbox.option import SANDBOX_WORKS, SandboxOption

if TYPE_CHECKING:
    from tabiya.server.app import TabiyaServer
    from tabiya.server.config import ServerConfig

EVERY_ADDRESS = "0.0.0.0"
HOUSE_GAMES = 8  # that a house bot plays at once
POLL_S = 1.0  # how often house bots and the worker are looked at
UNKNOWN = "as shown at the first start (the database keeps its hash alone); {} sets another"


def serve(
    host: str | None = HOST_OPTION,
    port: int | None = PORT_OPTION,
    pages_port: int | None = PAGES_PORT_OPTION,
    database: str | None = typer.Option(
        None, "--database", "-d", help="Database: a file or postgresql://… [tabiya.db]."
    ),
    standby: bool = typer.Option(
        False, "--standby", help="Wait while another server uses the PostgreSQL database; take over when it is gone."
    ),
    bus: str | None = typer.Option(
        None,
        "--bus",
        help="Bus to `tabiya gateway` and `tabiya host`: nats://HOST:4222, or unix:FOLDER on one machine.",
    ),
    processes: int | None = typer.Option(
        None,
        "--processes",
        help="Processes that hold connections and play matches, for high load; 1: the server itself [1].",
        min=1,
    ),
    lan: bool = typer.Option(False, "--lan", help="Serve the local network; prints the address and the invite code."),
    public_url: str | None = PUBLIC_URL_OPTION,
    open_registration: bool | None = typer.Option(
        None, "--open/--closed", help="Allow bots without a token [only on loopback]."
    ),
    rate_guests: bool | None = typer.Option(
        None, "--rate-guests/--no-rate-guests", help="Rate games of bots without a token outside tournaments too [no]."
    ),
    time_control: str | None = typer.Option(None, "--time", "-t", help="Default time control [60+0.5]."),
    durability: str | None = typer.Option(
        None,
        "--durability",
        help="Saved moves survive a crash of the process, or a power failure too: process or power [process].",
    ),
    lag_credit: bool | None = typer.Option(
        None, "--lag-credit/--no-lag-credit", help="Give distant bots back part of the network delay [yes]."
    ),
    house_bot: list[str] = typer.Option(
        [], "--house-bot", help="A built-in PLAYER that is always online, such as greedy; may be repeated."
    ),
    hosted: bool = typer.Option(False, "--hosted", help="Run uploaded programs on this machine, in a sandbox."),
    workers: int = typer.Option(
        2,
        "--workers",
        help="With --hosted: programs that play here at once; 0: only on other machines' workers.",
        min=0,
    ),
    sandbox: SandboxOption = typer.Option(SandboxOption.AUTO, "--sandbox", help=SANDBOX_HELP),
    log_level: LogLevel = LOG_LEVEL_OPTION,
    log_json: bool = LOG_JSON_OPTION,
    ready_file: Path | None = typer.Option(None, "--ready-file", help="Write the addresses to this JSON file."),
) -> None:
    """Run a server: bots connect by websocket, people use the web pages. Ctrl-C stops it; nothing is lost."""
    # several threads for a fit of the ratings would spin beside the bots' own, and make it ten times as dear
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    collect_after_loading()
    from tabiya.server.config import ConfigError, read_config
    from tabiya.server.logs import set_up_logging

    if lan and host is None:
        host = EVERY_ADDRESS
    with user_errors(ConfigError):
        config = read_config(
            os.environ,
            host=host,
            port=port,
            pages_port=pages_port,
            database_url=database,
            public_url=public_url,
            open_registration=open_registration,
            rate_guests=rate_guests,
            time_control=time_control,
            durability=durability,
            lag_credit=lag_credit,
            bus_url=bus,
            processes=processes,
        )
    least = _least_sandbox(sandbox, here=workers > 0) if hosted else ""
    set_up_logging(log_level.value, as_json=log_json)
    say = logging.getLogger("tabiya.serve").info if log_json else note
    for player in house_bot:
        games_of(player, ())
    forget_addresses(ready_file)  # of an earlier run, or programs that wait for the file would take them
    with (
        tempfile.TemporaryDirectory(prefix="tabiya-serve-") as logs,
        ChildProcesses(Path(logs)) as children,
        note_if_slow(COMPILING) as enough,
    ):
        watchers: list[asyncio.Future[None]] = []

        def waits(why: str) -> None:
            enough()  # it may wait for weeks
            say(why)

        def ready(server: TabiyaServer) -> None:
            enough()
            if lan or server.public:
                keep_operator_token(server)
            for line in announcement(server, lan=lan, hosted=hosted):
                say(line)
            if house_bot:
                watchers.append(asyncio.ensure_future(run_house_bots(server, house_bot, children, say)))
            if hosted:
                watchers.append(asyncio.ensure_future(host_programs(server, Path(logs), least, workers, say)))
            if ready_file is not None:
                write_addresses({"websocket": server.websocket_url, "pages": server.pages_url}, ready_file)

        try:
            beside = None
            if config.processes > 1:
                check_processes(config)
                config = replace(config, bus_url=f"unix:{logs}/bus")
                beside = HostsOfServer(config.processes, log_level.value, log_json=log_json)
            run_loop(run_server(config, ready, waits if standby else None, beside))
        finally:
            forget_addresses(ready_file)


def check_processes(config: ServerConfig) -> None:
    """Raise UserError if this server cannot have several processes."""
    if sys.platform != "linux":
        raise UserError("--processes needs Linux, where processes can share one port")
    if config.bus_url:
        raise UserError("--processes cannot be used with a bus; start `tabiya host` beside the server instead")
    if config.database_url == "memory:":
        raise UserError("--processes needs a database that processes can share, not memory:")


async def run_house_bots(
    server: TabiyaServer, players: Sequence[str], children: ChildProcesses, say: Callable[[str], None]
) -> None:
    """Connect built-in players, a process each, that end with the server; say it if one ends before."""
    from tabiya.bots.pool.pool_bot import name_from_player
    from tabiya.server.accounts.accounts import NotAdmitted

    server.house_bots = {player: levels_in_words(player) for player in players}
    for player in players:
        try:
            token = await server.accounts.new_house_token(name_from_player(player))
        except NotAdmitted as error:
            say(f"house bot {player} cannot play: {error}")
            continue
        server.starting_house_bots.append(name_from_player(player))
        command = ["bot", player, "--server", _from_here(server), "--concurrency", str(HOUSE_GAMES)]
        # without a lent one, the token saved on this machine; else not, it may be of another database
        lent = {} if token is None else {"TABIYA_TOKEN": token, "TABIYA_CONFIG": os.devnull}
        children.start(player, command, lent)
    await _watch(children, say)
    server.starting_house_bots.clear()  # one has ended; the missing ones are listed then


async def host_programs(
    server: TabiyaServer, logs: Path, sandbox: str, at_once: int, say: Callable[[str], None]
) -> None:
    """Lease the programs that are handed in to workers; one of this machine is kept running if it may run any."""
    from tabiya.hosting.hosting import OWN_WORKER, ProgramHosting

    hosting = ProgramHosting(sandbox, start=start_of(Path("bot.py")))
    await hosting.serve(server)
    server.hosting = hosting
    if not at_once:
        return
    arguments = ["worker", "--server", _from_here(server), "--at-once", str(at_once), "--sandbox", sandbox]
    secrets = {"TABIYA_WORKER_TOKEN": server.accounts.new_worker_token(), SANDBOX_WORKS: sandbox}
    with ChildProcesses(logs) as children:
        while True:
            process = children.start("worker", [*arguments, "--name", OWN_WORKER], secrets)
            while process.poll() is None:  # noqa: ASYNC110 - a process has no event
                await asyncio.sleep(POLL_S)
            say(f"the worker of this machine has ended ({exit_text(process.returncode)}) and is started again")
            children.stop()
            await hosting.own_worker_ended()


def _least_sandbox(sandbox: SandboxOption, *, here: bool) -> str:
    """The least sandbox of hosted programs; if they run here, the one of this machine. Raises UserError."""
    if here:
        return available_sandbox(sandbox, MEMORY_MB, FILE_MB)
    return SandboxOption.LANDLOCK.value if sandbox is SandboxOption.AUTO else sandbox.value  # the weakest that are any


def _from_here(server: TabiyaServer) -> str:
    """The address of the pages for a program of this machine."""
    everywhere = server.config.host in (EVERY_ADDRESS, "::")
    return f"http://127.0.0.1:{server.pages_port}" if everywhere else server.pages_url


def levels_in_words(player: str) -> dict[str, str]:
    """How a named level plays, by game; empty for other players."""
    from tabiya.bots.players.catalogue import levels_of
    from tabiya.games.registry import names

    return {game: level.about for game in names() for level in levels_of(game) if level.name == player}


async def _watch(children: ChildProcesses, say: Callable[[str], None]) -> None:
    """Say it if a house bot has ended; the server goes on."""
    try:
        while True:
            await asyncio.sleep(POLL_S)
            children.check()
    except UserError as error:
        say(f"house bot {error}")


def announcement(server: TabiyaServer, *, lan: bool, hosted: bool = False) -> list[str]:
    """The addresses; with --lan, what to tell the class. Secrets are shown only where they are needed."""
    websocket, pages = (_reachable(url, server.config.host) for url in (server.websocket_url, server.pages_url))
    if server.public:
        websocket, pages = server.public.websocket, server.public.url
    lines = [f"{server.name}: bots connect to {websocket}, pages are at {pages}", f"data: {server.store.address}"]
    if lan:
        lines += ["", f"  tell the class:  {pages}"]
    if server.public:
        lines.append(f"the proxy passes {websocket} on to port {server.port}, and all else to port {server.pages_port}")
    if lan or server.public or not (server.accounts.open_to_all or server.config.invite_secret):
        accounts = server.accounts
        lines.append(f"  invite code:     {_secret(server, 'invite_secret', accounts.invite_secret, lan=lan)}")
        login = accounts.operator_token and f"tabiya account keep {OPERATOR} {accounts.operator_token} --server {pages}"
        lines.append(f"  operator login:  {_secret(server, 'operator_token', login, lan=lan)}")
        lines.append(f"  operator pages:  {pages}/operator, where this token signs in")
        if hosted:
            login = accounts.worker_token and f"tabiya worker --server {pages} --token {accounts.worker_token}"
            lines.append(f"  more workers:    {_secret(server, 'worker_token', login, lan=lan)}")
    if lan:
        lines += ["", "  the operator login is for yourself, on other machines; on this one it is done already"]
        lines += ["  tokens travel in clear text: use this on a network you trust, or put TLS in front", ""]
    return lines


def _secret(server: TabiyaServer, name: str, words: str | None, *, lan: bool) -> str:
    """The words with a secret; one from the environment is shown only to a class."""
    variable = f"TABIYA_{name.upper()}"
    if not lan and getattr(server.settings.started_with, name):
        return f"with what {variable} says"
    return words or UNKNOWN.format(variable)


def keep_operator_token(server: TabiyaServer) -> None:
    """Save the operator's token for the commands of this user on this machine."""
    if not server.accounts.operator_token:
        return
    # a token is kept for an address (token_files.py), and these three lead here
    here = _reachable(server.pages_url, server.config.host)
    for pages in (here, f"http://127.0.0.1:{server.pages_port}", f"http://localhost:{server.pages_port}"):
        with contextlib.suppress(OSError):  # commands can be given the token, and the server is to run
            keep(pages, OPERATOR, server.accounts.operator_token)


def _reachable(url: str, host: str) -> str:
    """The address with a host that others can use in place of "every interface"."""
    if host not in (EVERY_ADDRESS, "::"):
        return url
    from tabiya.server.transport.addresses import lan_address

    return url.replace("[::]" if host == "::" else host, lan_address())


def write_addresses(addresses: dict[str, str], path: Path) -> None:
    """Write where it listens to a file, whole or not at all. Raises UserError."""
    try:
        write_whole(path, json.dumps(addresses))
    except OSError as error:
        raise UserError(f"the file {path} cannot be written: {error.strerror}") from None


def forget_addresses(path: Path | None) -> None:
    """Remove that file: it is of an earlier run, or of this one that ends."""
    if path is not None:
        with contextlib.suppress(OSError):
            path.unlink()
