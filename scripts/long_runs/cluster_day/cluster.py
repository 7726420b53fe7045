"""The processes of the day: two servers of which one serves, hosts and gateways, on a PostgreSQL and a NATS."""

from __future__ import annotations

import asyncio
import contextlib
import re
import signal
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

from scripts.long_runs.harness.api_client import ApiClient
from scripts.long_runs.harness.standby_server import POLL_S, WITHIN_S, CommandProcess, StandbyServer
from tests.ports import free_ports
from tests.server.cluster.nats import Nats, nats
from tests.storage.postgres import Cluster as Postgres
from tests.storage.postgres import private_cluster

HOST, GATEWAY = r"host (\d+) plays", r"bots connect to (ws://\S+)"
READY = re.compile(f"{HOST}|{GATEWAY}")
RETRY_S = 0.3  # until one that has ended is started again, as by a service manager
END_S = 60.0


class Cluster(ApiClient):
    """All of them; one that ends is started again. urls: of the gateways.

    to_end: those that are about to end because of what is done to them.  own_ends: the last words of all others that
    have ended, and how often.
    """

    def __init__(self, folder: Path, postgres: Postgres, bus: Nats, hosts: int, gateways: int) -> None:
        self.postgres, self.bus = postgres, bus
        self.database = postgres.create("day")
        joined = ("--bus", bus.url)
        self.servers = [StandbyServer(folder, number, self.database, *joined) for number in (1, 2)]
        self.hosts = [
            CommandProcess(folder, f"host-{number}", "host", "--database", self.database, *joined)
            for number in range(1, hosts + 1)
        ]
        ports = free_ports(gateways)
        self.gateways = [
            CommandProcess(folder, f"gateway-{number}", "gateway", "--port", str(port), *joined)
            for number, port in enumerate(ports, 1)
        ]
        self.urls = [f"ws://127.0.0.1:{port}" for port in ports]
        self.to_end: set[CommandProcess] = set()
        self.own_ends = Counter[str]()
        self._keeping: list[asyncio.Task[None]] = []

    @property
    def processes(self) -> list[CommandProcess]:
        """All."""
        return [*self.gateways, *self.hosts, *self.servers]

    @property
    def pages(self) -> str:  # type: ignore[override]  # of the one that serves now
        """Where the pages of the server are that serves, or did last."""
        return f"http://{(self.serving or self.servers[0]).pages}"

    @property
    def serving(self) -> StandbyServer | None:
        """The server that listens; of two the newer: the other one does not know yet that it has been replaced."""
        return max(
            (server for server in self.servers if server.runs and server.serves),
            key=lambda server: server.serves_since,
            default=None,
        )

    async def open(self) -> None:
        """Start everything; returns when one server serves, the other waits, and the rest is ready."""
        for process in self.processes:
            await process.begin()
            self._keeping.append(asyncio.create_task(self._keep(process)))
        await self.roles()
        for process in (*self.hosts, *self.gateways):
            await process.until_printed(READY.pattern)

    async def _keep(self, process: CommandProcess) -> None:
        while True:
            await process.process.wait()
            if process not in self.to_end:
                lines = process.output.splitlines() or ["nothing said"]
                self.own_ends[f"{re.sub('[0-9]', '', process.name)}{process.process.returncode}: {lines[-1]}"] += 1
            self.to_end.discard(process)
            await asyncio.sleep(RETRY_S)
            await process.begin()

    async def roles(self) -> tuple[StandbyServer, StandbyServer]:
        """The server that serves and the one that waits, as soon as there are both. Raises TimeoutError."""
        async with asyncio.timeout(WITHIN_S):
            while True:
                for one, other in (self.servers, self.servers[::-1]):
                    if one is self.serving and other.runs and not other.serves and other.waits:
                        return one, other
                await asyncio.sleep(POLL_S)

    async def until_served(self) -> None:
        """Wait until a server serves. Raises TimeoutError."""
        async with asyncio.timeout(WITHIN_S):
            while self.serving is None:  # noqa: ASYNC110 - processes tell nobody
                await asyncio.sleep(POLL_S)

    async def close(self) -> list[str]:
        """End all in order; a sentence for each that does not, or complains."""
        await self._keep_no_more()
        wrong = []
        for process in self.processes:
            if not process.runs:
                continue
            process.process.send_signal(signal.SIGTERM)
            try:
                async with asyncio.timeout(END_S):
                    status = await process.process.wait()
            except TimeoutError:
                wrong.append(f"{process.name} has not ended within {END_S:.0f} s: see {process.log}")
                process.process.kill()
                await process.process.wait()
            else:
                wrong += [f"{process.name}, told to end, has ended with {status}: see {process.log}"] * (status != 0)
        return wrong

    async def kill(self) -> None:
        """End whatever still runs."""
        await self._keep_no_more()
        for process in self.processes:
            if process.runs:
                process.process.kill()
                await process.process.wait()

    async def _keep_no_more(self) -> None:
        for task in self._keeping:
            task.cancel()
        await asyncio.gather(*self._keeping, return_exceptions=True)


@contextlib.asynccontextmanager
async def running(folder: Path, hosts: int, gateways: int) -> AsyncIterator[Cluster]:
    """A whole cluster on a PostgreSQL and a NATS of its own. Whoever uses it closes the processes."""
    with private_cluster() as postgres:
        async with nats() as bus:
            cluster = Cluster(folder, postgres, bus, hosts, gateways)
            try:
                await cluster.open()
                yield cluster
            finally:
                await cluster.kill()
