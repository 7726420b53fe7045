"""The bus of one machine: each process has a socket in one folder, and a connection to each other one.

Nothing stands between them that could fail or be busy. A line carries one way, so that two who find each other at the
same moment still have one line each way.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
from collections import defaultdict
from pathlib import Path
from typing import cast

import msgpack

from tabiya.server.cluster.bus import Arrived, BusError

log = logging.getLogger("tabiya.bus")

SCHEME = "unix:"
PEER_TIMEOUT_S = 1.0  # how long to wait for the other processes at the start, and for unsent data at the end
MOST_WAITING_BYTES = 64 * 1024 * 1024  # for one that does not read; what is more is lost
GROUP_AND_OTHER_BITS = 0o077


class UnixBus:
    """A `tabiya.server.cluster.bus.Bus`.

    On a line stand, in MessagePack, the name of who has opened it, then subjects that it listens to, and what it
    publishes: pairs, of which the second part is empty but for what is published.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._name = folder, secrets.token_hex(8)
        self._loop = asyncio.get_running_loop()
        self._listeners: defaultdict[str, list[Arrived]] = defaultdict(list)  # of this process
        self._others: defaultdict[str, set[str]] = defaultdict(set)  # processes that listen to a subject
        self._lines: dict[str, asyncio.WriteTransport] = {}
        self._reaching: dict[str, asyncio.Task[None]] = {}
        self._met: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self._lines_closed = asyncio.Event()
        self._incoming: set[asyncio.Transport] = set()
        self._server: asyncio.AbstractServer | None = None
        self._closed = False

    @classmethod
    async def connect(cls, url: str) -> UnixBus:
        """Join those in a folder, `unix:FOLDER`, which is made if it is not there. Raises BusError."""
        bus = cls(Path(url.removeprefix(SCHEME)))
        try:
            _make_private(bus._folder)
            await bus._join()
        except OSError as error:
            await bus.close()
            raise BusError(f"the bus {url} cannot be used: {error}") from None
        return bus

    async def _join(self) -> None:
        unseen = self._folder / f".{self._name}"
        self._server = await self._loop.create_unix_server(lambda: _IncomingConnection(self), unseen)
        unseen.rename(self._folder / self._name)  # only now, because others connect as soon as they find it
        there = [path.name for path in self._folder.iterdir() if path.name != self._name and path.name[0] != "."]
        with contextlib.suppress(TimeoutError):  # a paused process is connected to later
            async with asyncio.timeout(PEER_TIMEOUT_S):
                await asyncio.gather(*(self._meet(name) for name in there))

    async def _meet(self, name: str) -> None:
        """Wait until the other one knows us, and has sent its subscriptions."""
        await self.reach(name)
        if name in self._lines:
            await self._met[name].wait()

    # --- the bus

    def publish(self, subject: str, data: bytes) -> None:
        """See `Bus.publish`."""
        for arrived in self._listeners.get(subject, ()):
            self._loop.call_soon(arrived, data)
        if others := self._others.get(subject):
            packed = msgpack.packb((subject, data))
            for name in others:
                line = self._lines.get(name)
                if line is not None and line.get_write_buffer_size() < MOST_WAITING_BYTES:
                    line.write(packed)

    async def subscribe(self, subject: str, arrived: Arrived) -> None:
        """See `Bus.subscribe`; the others learn of it before anything that this process publishes later."""
        self._listeners[subject].append(arrived)
        for line in self._lines.values():
            line.write(msgpack.packb((subject, None)))

    async def close(self) -> None:
        """See `Bus.close`."""
        self._closed = True
        if self._server is not None:
            self._server.close()
            with contextlib.suppress(OSError):
                (self._folder / self._name).unlink()
        for task in self._reaching.values():
            task.cancel()
        for line in self._lines.values():
            line.close()
        if self._lines:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(PEER_TIMEOUT_S):
                    await self._lines_closed.wait()
        for transport in (*self._incoming, *self._lines.values()):
            transport.abort()

    # --- lines to the others

    async def reach(self, name: str) -> None:
        """Open a line to another process, unless there is one."""
        if name not in self._reaching:
            self._reaching[name] = asyncio.create_task(self._reach(name))
        await asyncio.shield(self._reaching[name])

    async def _reach(self, name: str) -> None:
        path = self._folder / name
        try:
            line, _ = await self._loop.create_unix_connection(lambda: _Line(self, name), str(path))
        except OSError as error:
            if isinstance(error, ConnectionRefusedError):  # left behind by a killed process
                path.unlink(missing_ok=True)
            self._reaching.pop(name, None)
            return
        self._lines[name] = line
        line.write(msgpack.packb((self._name, None)))
        for subject in self._listeners:
            line.write(msgpack.packb((subject, None)))

    def line_lost(self, name: str) -> None:
        """A connection to another process is closed."""
        self._reaching.pop(name, None)
        self._lines.pop(name, None)
        if not self._lines:
            self._lines_closed.set()

    # --- lines of the others

    def opened(self, transport: asyncio.Transport) -> None:
        """Another process has opened a line."""
        self._incoming.add(transport)

    def met(self, name: str) -> None:
        """Its name: there must be a line to it, too."""
        if not self._closed and name not in self._reaching:
            self._reaching[name] = asyncio.create_task(self._reach(name))
        self._loop.call_soon(self._met[name].set)  # its subscriptions follow its name

    def listens(self, name: str, subject: str) -> None:
        """It has subscribed to this subject."""
        self._others[subject].add(name)

    def arrived(self, subject: str, data: bytes) -> None:
        """It has published this."""
        for arrived in self._listeners.get(subject, ()):
            try:
                arrived(data)
            except Exception:
                log.exception("an internal error about what came on %s", subject)

    def gone(self, transport: asyncio.Transport, name: str) -> None:
        """Its line is closed: it has ended."""
        self._incoming.discard(transport)
        self._met.pop(name, None)
        for names in self._others.values():
            names.discard(name)
        if (line := self._lines.get(name)) is not None:
            line.close()


def _make_private(folder: Path) -> None:
    """Make the folder, if it is not there, for its owner alone. Raises BusError, OSError."""
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.stat()
    if found.st_uid != os.geteuid() or found.st_mode & GROUP_AND_OTHER_BITS:
        raise BusError(f"other users can open the bus's folder {folder}: chmod 700")


class _Line(asyncio.Protocol):
    """The connection on which this process sends to another one."""

    def __init__(self, bus: UnixBus, name: str) -> None:
        self._bus, self._name = bus, name

    def connection_lost(self, error: Exception | None) -> None:
        self._bus.line_lost(self._name)


class _IncomingConnection(asyncio.Protocol):
    """The connection on which another process sends to this one."""

    def __init__(self, bus: UnixBus) -> None:
        self._bus, self._name = bus, ""
        self._unpacker = msgpack.Unpacker()
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._bus.opened(self._transport)

    def data_received(self, data: bytes) -> None:
        self._unpacker.feed(data)
        for word, published in self._unpacker:
            if published is not None:
                self._bus.arrived(word, published)
            elif self._name:
                self._bus.listens(self._name, word)
            else:
                self._name = word
                self._bus.met(word)

    def connection_lost(self, error: Exception | None) -> None:
        self._bus.gone(self._transport, self._name)
