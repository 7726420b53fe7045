"""A process that serves: its limits and settings, its end in order, and how the event loop is run."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tabiya.bots.gc_tuning import collect_rarely, freeze_heap
from tabiya.errors import user_errors

if TYPE_CHECKING:
    from tabiya.server.app import TabiyaServer
    from tabiya.server.config import ServerConfig

MOST_FILES = 65_536  # room to raise the usual limits: 4,096 bots, 1,024 connections to the pages (protocol/limits.py)
STOP_S = 8.0  # less than the ten seconds that service managers often wait before they kill
SWITCH_S = 0.001
"""How long the event loop's thread goes on while another waits for the interpreter (sys.setswitchinterval).

The thread that saves needs the interpreter four times for a batch. With Python's own 5 ms a save under load would
mostly be waiting.
"""
NOT_IN_TIME = 75  # an exit status of its own (EX_TEMPFAIL)


def warm_rules() -> None:
    """Compile or load the rules of every game, so that nothing compiles while a clock runs."""
    from tabiya.games.registry import load_game, names
    from tabiya.games.warm import warm

    for name in names():
        warm(load_game(name))


@contextlib.contextmanager
def signals_end_at_once() -> Iterator[None]:
    """While nothing is open that wants an orderly end, SIGINT and SIGTERM kill the process.

    The exceptions that they otherwise become are lost, and a traceback is printed, when one falls into a finalizer of
    the compiler; and while it is at work none comes for seconds.
    """
    before = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


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


async def run_server(config: ServerConfig, ready: Callable[[TabiyaServer], None]) -> None:
    """Start, tell, and run until a signal says stop."""
    from tabiya.explorer.explorer import Explorer
    from tabiya.server.app import StartError, TabiyaServer

    stop = asyncio.Event()
    _stop_on_signals(stop)  # first: a signal during the start closes in order, once the start is over
    allow_many_files()
    server = TabiyaServer(config)
    server.explorer = Explorer()
    with user_errors(StartError):
        await server.start()
    # after the start: what stays for ever is loaded by now, and no collection looks at it again
    freeze_heap()
    collect_rarely()
    sys.setswitchinterval(SWITCH_S)
    try:
        ready(server)
        await stop.wait()
    finally:
        await _stop_in_time(server)


async def _stop_in_time(server: TabiyaServer) -> None:
    """Stop; exit if that takes too long, as when the database does not answer: no bot has heard of an unsaved move."""
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
    """The first signal stops the server in order, a second of either kind at once: what bots have heard is saved."""
    loop = asyncio.get_running_loop()
    numbers = (signal.SIGINT, signal.SIGTERM)

    def first(*_: object) -> None:
        loop.call_soon_threadsafe(stop.set)  # on Windows this is no callback of the loop and has to wake it
        for number in numbers:
            with contextlib.suppress(NotImplementedError):
                loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_DFL)  # the loop has put back KeyboardInterrupt for SIGINT

    for number in numbers:
        try:
            loop.add_signal_handler(number, first)
        except NotImplementedError:  # Windows
            signal.signal(number, first)


def run_loop(work: Any) -> None:
    """Run a coroutine on uvloop where there is one."""
    try:
        import uvloop
    except ImportError:  # Windows
        asyncio.run(work)
        return
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(work)
