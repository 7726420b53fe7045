"""The processes of `tabiya serve --processes N`: started with the server, again when one ends, and ended with it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import platform
import signal
import sys
import time
from typing import TYPE_CHECKING

from tabiya.processes.child_processes import STOP_S, ending_with_this_process
from tabiya.processes.programs import exit_text

if TYPE_CHECKING:
    from tabiya.server.cluster.hosts import Hosts
    from tabiya.server.config import ServerConfig
    from tabiya.storage.store import Store

log = logging.getLogger("tabiya.serve")

START_S = 120.0  # rules may have to be compiled
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 10.0
POLL_S = 0.02
NOT_THEIRS = {"NOTIFY_SOCKET", "WATCHDOG_USEC"}  # only the server reports to the service manager


class HostsOfServer:
    """A `tabiya.server.cluster.host_processes.HostProcesses`."""

    def __init__(self, count: int, log_level: str, *, log_json: bool) -> None:
        self._count, self._words = count, [log_level, *(["json"] if log_json else [])]
        self._numbers: tuple[int, ...] = ()
        self._running: dict[int, asyncio.subprocess.Process] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._environment: dict[str, str] = {}
        self._store: Store
        self._hosts: Hosts

    async def register(self, store: Store) -> tuple[int, ...]:
        """See `HostProcesses.register`."""
        self._numbers = tuple([await self._registered(store) for _ in range(self._count)])
        return self._numbers

    async def _registered(self, store: Store) -> int:
        return await store.register_host(platform.node(), time.time())

    async def start(self, store: Store, hosts: Hosts, config: ServerConfig) -> None:
        """See `HostProcesses.start`."""
        from tabiya.server.config import as_environment
        from tabiya.server.transport.listening import StartError

        self._store, self._hosts = store, hosts
        self._environment = {name: value for name, value in os.environ.items() if name not in NOT_THEIRS}
        self._environment |= as_environment(config)
        hosts.on_lost = self._kill
        for number in self._numbers:
            await self._spawn(number)
        until_s = time.monotonic() + START_S
        while not set(self._numbers) <= set(hosts.numbers):
            ended = [process.returncode for process in self._running.values() if process.returncode is not None]
            if ended or time.monotonic() > until_s:
                why = exit_text(ended[0]) if ended else f"it does not play after {START_S:g} s"
                raise StartError(f"a process of the server cannot be started: {why}")
            await asyncio.sleep(POLL_S)
        self._tasks = [asyncio.create_task(self._keep(number)) for number in self._numbers]

    async def _spawn(self, number: int) -> None:
        module = [sys.executable, "-m", "tabiya.processes.host_of_server", str(number), *self._words]
        self._hosts.process_starts(number)
        self._running[number] = await asyncio.create_subprocess_exec(
            *ending_with_this_process(module),
            env=self._environment,
            stdin=asyncio.subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C reaches them through `stop` alone
        )

    async def _keep(self, number: int) -> None:
        """Start the process again, by another number, whenever it has ended; seldom if it never stays."""
        from tabiya.storage.errors import StoreError

        pause_s = FIRST_PAUSE_S
        while True:
            began_s = time.monotonic()
            status = await self._running[number].wait()
            del self._running[number]
            log.error("host %d of this server has ended (%s); another one is started", number, exit_text(status))
            self._hosts.process_ended(number)
            stayed = time.monotonic() - began_s > LONGEST_PAUSE_S
            pause_s = FIRST_PAUSE_S if stayed else min(LONGEST_PAUSE_S, 2 * pause_s)
            await asyncio.sleep(pause_s)
            while True:
                with contextlib.suppress(StoreError):
                    number = await self._registered(self._store)
                    break
                await asyncio.sleep(LONGEST_PAUSE_S)
            await self._spawn(number)

    def _kill(self, number: int) -> None:
        """Kill a host that the server has lost, so that it frees its share of the port."""
        if (process := self._running.get(number)) is not None and process.returncode is None:
            process.kill()

    async def stop(self) -> None:
        """See `HostProcesses.stop`. A host that does not end in time is killed; unsaved moves were sent to no bot."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        running = [process for process in self._running.values() if process.returncode is None]
        for process in running:
            process.send_signal(signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOP_S / 2):
                await asyncio.gather(*(process.wait() for process in running))
        for process in running:
            if process.returncode is None:
                process.kill()
                await process.wait()
