"""`tabiya serve`: run a server until it is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import logging
import os
import signal
import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tabiya.api_client.token_files import OPERATOR, keep
from tabiya.cli.games import COMPILING
from tabiya.cli.output import note, saying
from tabiya.errors import UserError

if TYPE_CHECKING:
    from tabiya.server.app import TabiyaServer
    from tabiya.server.config import ServerConfig

EVERY_ADDRESS = "0.0.0.0"
MOST_FILES = 65_536
STOP_S = 8.0  # less than the ten seconds that service managers often wait before they kill
SWITCH_S = 0.001
"""For how long a busy loop keeps the interpreter from the thread that saves, which needs it four times for a batch.

Python's own 5 ms, so many times, would be most of the time of a save under load.
"""
NOT_IN_TIME = 75  # an exit status of its own (EX_TEMPFAIL)


class Level(StrEnum):
    """How much is logged."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def serve(
    host: str | None = typer.Option(None, "--host", help="Address to bind [127.0.0.1]."),
    port: int | None = typer.Option(
        None, "--port", help="Port of the bots' websockets [8765]; 0: any free one.", min=0, max=65_535
    ),
    pages_port: int | None = typer.Option(
        None, "--pages-port", help="Port of pages and API [8080]; 0: any free one.", min=0, max=65_535
    ),
    database: str | None = typer.Option(None, "--database", "-d", help="File, or postgresql://… [tabiya.db]."),
    lan: bool = typer.Option(False, "--lan", help="Serve the local network; prints what to tell the class."),
    open_registration: bool | None = typer.Option(
        None, "--open/--closed", help="Whether names without a token may play [exactly on loopback]."
    ),
    time_control: str | None = typer.Option(None, "--time", "-t", help="Usual time control [60+0.5]."),
    durability: str | None = typer.Option(None, "--durability", help="What must survive: process or power [process]."),
    lag_credit: bool | None = typer.Option(
        None, "--lag-credit/--no-lag-credit", help="Give a part of each round trip back to bots far away [yes]."
    ),
    log_level: Level = typer.Option(Level.INFO, "--log-level", help="How much is logged."),
    log_json: bool = typer.Option(False, "--log-json", help="Log JSON lines."),
    ready_file: Path | None = typer.Option(None, "--ready-file", help="File to write the addresses to, as JSON."),
) -> None:
    """Run a server: bots connect by websocket, people look at its pages. Ctrl-C closes it; nothing is lost."""
    from tabiya.server.config import ConfigError, read_config
    from tabiya.server.logs import set_up_logging

    if lan and host is None:
        host = EVERY_ADDRESS
    try:
        config = read_config(
            os.environ,
            host=host,
            port=port,
            pages_port=pages_port,
            database_url=database,
            open_registration=open_registration,
            time_control=time_control,
            durability=durability,
            lag_credit=lag_credit,
        )
    except ConfigError as error:
        raise UserError(str(error)) from None
    set_up_logging(log_level.value, as_json=log_json)
    say = logging.getLogger("tabiya.serve").info if log_json else note
    _forget_addresses(ready_file)
    with saying(COMPILING) as enough:
        warm_rules()

        def ready(server: TabiyaServer) -> None:
            enough()
            if lan:
                keep_operator_token(server)
            for line in announcement(server, lan=lan):
                say(line)
            if ready_file is not None:
                write_addresses(server, ready_file)

        try:
            run_loop(run_server(config, ready))
        finally:
            _forget_addresses(ready_file)


def warm_rules() -> None:
    """Compile or load the rules of every game, so that nothing compiles while a clock runs."""
    from tabiya.games.registry import load_game, names
    from tabiya.games.warm import warm

    for name in names():
        warm(load_game(name))


def allow_many_files() -> None:
    """As many open files as this machine lets us: each connection is one, and a usual limit is 1,024."""
    try:
        import resource
    except ImportError:  # Windows, where there is no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):  # a system may have a lower limit that it does not tell
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def seldom_look_for_cycles() -> None:
    """What is there now stays, and moves leave no cycles: looking for some took an eighth of the time of each."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


async def run_server(config: ServerConfig, ready: Callable[[TabiyaServer], None]) -> None:
    """Start, tell, and run until a signal says stop."""
    from tabiya.server.app import StartError, TabiyaServer

    stop = asyncio.Event()
    _stop_on_signals(stop)
    allow_many_files()
    server = TabiyaServer(config)
    try:
        await server.start()
    except StartError as error:
        raise UserError(str(error)) from None
    seldom_look_for_cycles()
    sys.setswitchinterval(SWITCH_S)
    try:
        ready(server)
        await stop.wait()
    finally:
        await _stop_in_time(server)


async def _stop_in_time(server: TabiyaServer) -> None:
    """Stop, or leave when that takes too long, as when the database does not answer: what is not saved was not told."""
    try:
        async with asyncio.timeout(STOP_S):
            await server.stop()
    except TimeoutError:
        log = logging.getLogger("tabiya.server")
        log.critical(
            "the server could not close in %g s and leaves; %d writes are not saved, and nobody was told of them",
            STOP_S,
            server.store.waiting,
        )
        logging.shutdown()
        os._exit(NOT_IN_TIME)  # threads that wait for the database would hold up the interpreter


def _stop_on_signals(stop: asyncio.Event) -> None:
    """The first signal stops the server in order, a second one, of either kind, at once: nothing told is lost."""
    loop = asyncio.get_running_loop()
    numbers = (signal.SIGINT, signal.SIGTERM)

    def first(*_: object) -> None:
        loop.call_soon_threadsafe(stop.set)
        for number in numbers:
            with contextlib.suppress(NotImplementedError):
                loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_DFL)

    for number in numbers:
        try:
            loop.add_signal_handler(number, first)
        except NotImplementedError:  # Windows
            signal.signal(number, first)


def run_loop(work: Any) -> None:
    """Run a coroutine on uvloop where there is one."""
    try:
        import uvloop
    except ImportError:
        asyncio.run(work)
        return
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(work)


def announcement(server: TabiyaServer, *, lan: bool) -> list[str]:
    """Where everything is; with --lan, what to tell the class. The secrets are told where only they open the door."""
    websocket, pages = (_reachable(url, server.config.host) for url in (server.websocket_url, server.pages_url))
    lines = [f"{server.name}: bots connect to {websocket}, pages are at {pages}", f"data: {server.store.address}"]
    if lan:
        lines += ["", f"  tell the class:  {pages}"]
    if lan or not (server.accounts.open_to_all or server.config.invite_secret):
        lines.append(f"  invite code:     {server.accounts.invite_secret}")
        login = f"tabiya account keep {OPERATOR} {server.accounts.operator_token} --server {pages}"
        lines.append(f"  operator login:  {login}")
    if lan:
        lines += ["", "  the operator login is for yourself, on other machines; on this one it is done already"]
        lines += ["  tokens travel in clear text: use this on a network you trust, or put TLS in front", ""]
    return lines


def keep_operator_token(server: TabiyaServer) -> None:
    """Let the commands of this user on this machine give orders: the server asks everybody for the token."""
    here = _reachable(server.pages_url, server.config.host)
    for pages in (here, f"http://127.0.0.1:{server.pages_port}", f"http://localhost:{server.pages_port}"):
        with contextlib.suppress(OSError):
            keep(pages, OPERATOR, server.accounts.operator_token)


def _reachable(url: str, host: str) -> str:
    """The address with a host that others can use in place of "every interface"."""
    if host not in (EVERY_ADDRESS, "::"):
        return url
    from tabiya.server.transport.addresses import lan_address

    return url.replace("[::]" if host == "::" else host, lan_address())


def write_addresses(server: TabiyaServer, path: Path) -> None:
    """Write where the server listens to a file, whole or not at all. Raises UserError."""
    half = path.with_name(path.name + ".new")
    try:
        half.write_text(json.dumps({"websocket": server.websocket_url, "pages": server.pages_url}), encoding="utf-8")
        half.replace(path)
    except OSError as error:
        raise UserError(f"the file {path} cannot be written: {error.strerror}") from None


def _forget_addresses(path: Path | None) -> None:
    if path is not None:
        with contextlib.suppress(OSError):
            path.unlink()


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(serve)
