"""A server process: its limits and settings, its event loop, and its orderly end."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from tabiya.bots.gc_tuning import collect_after_loading, collect_rarely
from tabiya.errors import UserError, user_errors
from tabiya.loaded_game import game_named
from tabiya.processes.service_manager import ServiceManager
from tabiya.processes.traces import tracer_of_environment

if TYPE_CHECKING:
    from tabiya.server.app import TabiyaServer
    from tabiya.server.cluster.host_process import HostProcess
    from tabiya.server.cluster.host_processes import HostProcesses
    from tabiya.server.config import ServerConfig
    from tabiya.server.pages_process.process import PagesProcess

    Running = TypeVar("Running", TabiyaServer, PagesProcess, HostProcess)

MOST_FILES = 65_536  # room to raise the usual limits: 4,096 bots, 1,024 connections to the pages (protocol/limits.py)
STOP_S = 8.0  # less than the ten seconds that service managers often wait before they kill
SWITCH_S = 0.001
"""How long the event loop's thread goes on while another waits for the interpreter (sys.setswitchinterval).

The thread that saves needs the interpreter four times for a batch. With Python's own 5 ms a save under load would
mostly be waiting.
"""
NOT_IN_TIME = 75  # an exit status of its own (EX_TEMPFAIL)


def warm_rules() -> None:
    """Compile or load the rules of every game, so that nothing compiles while a clock runs. Raises UserError."""
    from tabiya.games.registry import names
    from tabiya.games.warm import warm

    for name in names():
        warm(game_named(name))


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


async def run_server(
    config: ServerConfig,
    ready: Callable[[TabiyaServer], None],
    standby: Callable[[str], None] | None = None,
    processes: HostProcesses | None = None,
) -> None:
    """Load the rules, start, tell, and run until a signal says stop. standby, processes: as of `TabiyaServer`.

    Raises UserError if it cannot start, or its store has given up.
    """
    from tabiya.server.start_status import StartStatus

    async with StartStatus(config.host, config.pages_port) as status:
        with signals_end_at_once():
            await asyncio.to_thread(warm_rules)  # in a thread, so that the status is answered meanwhile
        stop = _stop_event()
        with tracer_of_environment() as tracer:

            def made(waits: Callable[[str], None]) -> TabiyaServer:
                from tabiya.explorer.explorer import Explorer
                from tabiya.server.app import TabiyaServer

                server = TabiyaServer(
                    config, standby=waits if standby else None, tracer=tracer, processes=processes, status=status
                )
                server.explorer = Explorer()
                return server

            def is_ready(server: TabiyaServer) -> None:
                ready(server)
                threading.Thread(target=server.load_rest, name="tabiya-load", daemon=True).start()

            await _run(made, is_ready, stop, standby)


async def run_pages(config: ServerConfig, live: Sequence[str], ready: Callable[[PagesProcess], None]) -> None:
    """Run the pages of another server, as `run_server` does a server. live: as of `PagesProcess`."""

    def made(waits: Callable[[str], None]) -> PagesProcess:
        from tabiya.explorer.explorer import Explorer
        from tabiya.server.pages_process.process import PagesProcess

        return PagesProcess(config, live, Explorer())

    await _run(made, ready, _stop_event())


async def run_host(config: ServerConfig, ready: Callable[[HostProcess], None], number: int = 0) -> None:
    """Run a host beside the server, as `run_server` does a server. number: as of `HostProcess`."""

    def made(waits: Callable[[str], None]) -> HostProcess:
        from tabiya.server.cluster.host_process import HostProcess

        return HostProcess(config, number)

    await _run(made, ready, _stop_event())


def _stop_event() -> asyncio.Event:
    """Set by the first signal; to be there before all else: a signal during the start closes in order after it."""
    stop = asyncio.Event()
    stop_on_signals(stop)
    allow_many_files()
    return stop


async def _run(
    make: Callable[[Callable[[str], None]], Running],
    ready: Callable[[Running], None],
    stop: asyncio.Event,
    standby: Callable[[str], None] | None = None,
) -> None:
    collect_after_loading()
    manager = ServiceManager(os.environ)
    manager.keep_alive()

    def waits(why: str) -> None:
        assert standby is not None
        manager.notify("READY=1", f"STATUS={why}")  # as ready as a standby is: it may wait for weeks
        standby(why)

    def serves(server: Running) -> None:
        ready(server)
        manager.notify("READY=1", "STATUS=it serves")

    try:
        server = make(waits)
        gc.freeze()  # otherwise the next garbage collection would scan everything that is loaded
        await _start_and_stop(server, serves, stop, waits=standby is not None)
    finally:
        manager.notify("STOPPING=1")


async def _start_and_stop(
    server: Running, serves: Callable[[Running], None], stop: asyncio.Event, *, waits: bool
) -> None:
    from tabiya.server.transport.listening import StartError

    with user_errors(StartError):
        if not waits:
            await server.start()
        elif not await _is_first(server.start(), stop.wait()):
            return  # told to stop while it waited
    # What stays forever is loaded by now, and no collection looks at it again. Nor does one before: it took 90 ms of
    # the start and found 200 objects of 166,000; after a first start, which compiles, 26,000 of 181,000.
    gc.freeze()
    collect_rarely()
    sys.setswitchinterval(SWITCH_S)
    given_up = server.store.given_up
    given_up.add_done_callback(lambda _: stop.set())
    try:
        serves(server)
        await stop.wait()
        was_stopped = not given_up.done()
    finally:
        await _stop_in_time(server)
    if given_up.done() and not was_stopped:  # a leaving host may get the news of its removal while it stops
        raise UserError(given_up.result())


async def _is_first(one: Coroutine[Any, Any, object], other: Coroutine[Any, Any, object]) -> bool:
    """Whether the first is done before the second; the other is cancelled. Raises what the first raises."""
    tasks = [asyncio.ensure_future(one), asyncio.ensure_future(other)]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    if tasks[0] in done:
        await tasks[0]
    return tasks[0] in done


async def _stop_in_time(server: TabiyaServer | PagesProcess | HostProcess) -> None:
    """Stop; exit if that takes too long, as when the database does not answer. Unsaved moves were sent to no bot."""
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


def stop_on_signals(stop: asyncio.Event) -> None:
    """The first signal stops the server in order, a second one at once. All that was sent to bots is saved."""
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
