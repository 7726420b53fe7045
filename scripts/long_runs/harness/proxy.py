"""A TCP proxy on loopback, between bots and a server, that simulates bad lines.

proxy = Proxy(lambda: ("127.0.0.1", 8765), Random(1), LinkConditions(jitter_s=0.1))
port = await proxy.start()                   # bots connect here
proxy.lines[0].cut()                         # or half_close, hold, throttle
await proxy.stop()

Bytes keep their order, as on TCP: what is delayed delays what comes behind it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from random import Random
from typing import Any

from msgspec import Struct

READ_BYTES = 65_536
MOST_CHUNKS = 64  # under way in one direction; then its sender has to wait, as on any line
Tap = Callable[[bytes], object]


class LinkConditions(Struct, frozen=True):
    """How bad the lines are.  delay_s: one way.  jitter_s: up to so much more, drawn for each chunk."""

    delay_s: float = 0.0
    jitter_s: float = 0.0


class _Way:
    """The bytes of one direction, from one socket to the other."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, late_s: Callable[[], float], tap: Tap | None
    ) -> None:
        self._reader, self._writer, self._late_s, self._tap = reader, writer, late_s, tap
        self._chunks: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(MOST_CHUNKS)
        self._held_until = 0.0
        self._bytes_per_s = 0.0
        self._throttled_until = 0.0
        self.is_over = False

    def hold(self, seconds: float) -> None:
        """Nothing arrives for so long; then everything does."""
        self._held_until = asyncio.get_running_loop().time() + seconds

    def throttle(self, bytes_per_s: float, seconds: float) -> None:
        """Bytes arrive this slowly for so long."""
        self._bytes_per_s, self._throttled_until = bytes_per_s, asyncio.get_running_loop().time() + seconds

    def end(self) -> None:
        """Close this direction at the receiver; later bytes are lost."""
        self.is_over = True
        with contextlib.suppress(OSError, RuntimeError):
            self._writer.write_eof()

    async def carry(self) -> None:
        """Until the sender has ended it, or a socket is lost. Raises OSError."""
        async with asyncio.TaskGroup() as both:
            both.create_task(self._take())
            both.create_task(self._give())

    async def _take(self) -> None:
        loop, due = asyncio.get_running_loop(), 0.0
        while True:
            data = await self._reader.read(READ_BYTES)
            if data and self._tap is not None:
                self._tap(data)
            due = max(due, loop.time() + self._late_s())
            await self._chunks.put((due, data))
            if not data:
                return

    async def _give(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            due, data = await self._chunks.get()
            while (wait_s := max(due, self._held_until) - loop.time()) > 0:  # noqa: ASYNC110  (time passes, no event)
                await asyncio.sleep(wait_s)
            if loop.time() < self._throttled_until:
                await asyncio.sleep(len(data) / self._bytes_per_s)
            if not self.is_over and not data:
                self.end()
            elif not self.is_over:
                self._writer.write(data)
                await self._writer.drain()
            if not data:
                return


class ProxyLine:
    """One connection through the proxy: `up` to the server, `down` to the bot."""

    def __init__(self, up: _Way, down: _Way, sockets: tuple[asyncio.StreamWriter, asyncio.StreamWriter]) -> None:
        self.up, self.down, self._sockets = up, down, sockets

    def cut(self) -> None:
        """Reset both ends, without a goodbye."""
        for writer in self._sockets:
            writer.transport.abort()

    def half_close(self, *, to_server: bool) -> None:
        """Close one direction; the other goes on."""
        (self.up if to_server else self.down).end()

    def hold(self, seconds: float) -> None:
        """Stop both directions for a while; nothing is lost."""
        self.up.hold(seconds)
        self.down.hold(seconds)

    def throttle(self, bytes_per_s: float, seconds: float) -> None:
        """Both directions are slow."""
        self.up.throttle(bytes_per_s, seconds)
        self.down.throttle(bytes_per_s, seconds)

    async def carry(self) -> None:
        """Until both directions have ended."""
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(self.up.carry())
                both.create_task(self.down.carry())
        except* OSError:
            self.cut()
        finally:
            for writer in self._sockets:
                writer.close()


class Proxy:
    """Listens on loopback. lines: those that are open.  made: how many there have been."""

    def __init__(
        self,
        target: Callable[[], tuple[str, int]],
        draw: Random,
        conditions: LinkConditions | None = None,
        tap: Callable[[], Tap] | None = None,
    ) -> None:
        """target: where the server is now; asked for each line.  tap: makes a reader of what the server says on it."""
        self._target, self._draw, self.conditions, self._tap = target, draw, conditions or LinkConditions(), tap
        self.lines: list[ProxyLine] = []
        self.made = 0
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    async def start(self) -> int:
        """Listen; the port."""
        self._server = await asyncio.start_server(self._line, "127.0.0.1", 0)
        return int(self._server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Cut every line and listen no more."""
        if self._server is not None:
            self._server.close()
        for line in list(self.lines):
            line.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _late_s(self) -> float:
        return self.conditions.delay_s + self.conditions.jitter_s * self._draw.random()

    async def _line(self, from_bot: asyncio.StreamReader, to_bot: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            from_server, to_server = await asyncio.open_connection(*self._target())
        except OSError:  # no server: the bot's connection is closed
            to_bot.transport.abort()
            return
        up = _Way(from_bot, to_server, self._late_s, None)
        down = _Way(from_server, to_bot, self._late_s, self._tap() if self._tap is not None else None)
        line = ProxyLine(up, down, (to_bot, to_server))
        self.lines.append(line)
        self.made += 1
        try:
            await line.carry()
        except asyncio.CancelledError:  # by `stop`, after the cut
            line.cut()
        finally:
            self.lines.remove(line)
