"""The checker's server without sockets, and bots as tasks: whole checks under virtual time."""

from __future__ import annotations

import asyncio
import json
import traceback
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, Protocol

import msgpack

from tabiya.check.outcomes import ConnectionEnded
from tabiya.check.scripted_server import BROKEN, Frame, RawConnection
from tabiya.protocol.codec import Encoding, negotiate

GOODBYE = object()


class InMemoryConnection:
    """Both ends of a connection: the checker's is a `RawConnection`, the bot's are `say`, `frames` and `leave`."""

    def __init__(self, encoding: Encoding, offered: tuple[str, ...]) -> None:
        self.encoding, self.offered = encoding, offered
        self._up: asyncio.Queue[Any] = asyncio.Queue()
        self._down: asyncio.Queue[Any] = asyncio.Queue()
        self._end: ConnectionEnded | None = None

    # --- the checker's end ---

    async def send(self, frame: Frame) -> None:
        if self._end is None:
            self._down.put_nowait(frame)

    async def receive(self) -> Frame:
        frame = await self._up.get()
        if frame is GOODBYE:
            assert self._end is not None
            raise self._end
        return frame  # type: ignore[no-any-return]

    async def close(self, code: int, reason: str) -> None:
        self._over(code, reason)

    def cut(self) -> None:
        self._over(BROKEN, "")

    def _over(self, code: int, reason: str) -> None:
        if self._end is None:
            self._end = ConnectionEnded(code, reason)
            self._up.put_nowait(GOODBYE)
            self._down.put_nowait(GOODBYE)

    # --- the bot's end ---

    def say(self, **message: Any) -> None:
        """Send a message in the encoding of the connection."""
        self.send_frame(json.dumps(message) if self.encoding is Encoding.JSON else msgpack.packb(message))

    def send_frame(self, frame: Frame) -> None:
        """Send a frame."""
        if self._end is None:
            self._up.put_nowait(frame)

    async def frames(self) -> AsyncIterator[Frame]:
        """What the server sends, until the end of the connection."""
        while (frame := await self._down.get()) is not GOODBYE:
            yield frame

    def waiting(self) -> list[Frame]:
        """What has come already."""
        frames = []
        while not self._down.empty() and (frame := self._down.get_nowait()) is not GOODBYE:
            frames.append(frame)
        return frames

    @property
    def end(self) -> ConnectionEnded:
        """How it ended."""
        assert self._end is not None
        return self._end

    def leave(self) -> None:
        """The bot closes."""
        self._over(1000, "")


class InMemoryServer:
    """A `ScriptedServer` for bots of this process."""

    def __init__(self) -> None:
        self.preferred_encoding: Encoding | None = None
        self.rejected_subprotocols: list[str] = []
        self.connections: asyncio.Queue[RawConnection] = asyncio.Queue()
        self.is_open = False
        self._connections: list[InMemoryConnection] = []

    @property
    def url(self) -> str:
        return "local:"

    async def open(self) -> None:
        self.is_open = True

    async def close(self) -> None:
        self.is_open = False
        for connection in self._connections:
            connection.cut()
        self._connections.clear()

    def connect(self, offered: tuple[str, ...] = ()) -> InMemoryConnection:
        """A connection for a bot. Raises ConnectionRefusedError."""
        encoding = (
            self.preferred_encoding
            if self.preferred_encoding and self.preferred_encoding.subprotocol in offered
            else negotiate(offered)
        )
        if encoding is None:
            self.rejected_subprotocols.append(", ".join(offered))
        if encoding is None or not self.is_open:
            raise ConnectionRefusedError
        connection = InMemoryConnection(encoding, offered)
        self._connections.append(connection)
        self.connections.put_nowait(connection)
        return connection


class Runs(Protocol):
    """A bot of this process."""

    def run(self) -> Coroutine[Any, Any, None]:
        """All of its life."""


class TaskLauncher:
    """A `Launcher` of bots that are tasks."""

    def __init__(self, make: Callable[[], Runs]) -> None:
        self._make = make
        self._task: asyncio.Task[None] | None = None
        self.starts = 0

    async def start(self, url: str) -> None:
        await self.stop()
        self.starts += 1
        self._task = asyncio.create_task(self._make().run())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def ended(self) -> str | None:
        if self._task is None or not self._task.done():
            return None
        return f"exit status {int(bool(self._error()))}"

    def output(self) -> tuple[str, ...]:
        error = self._error()
        return tuple("".join(traceback.format_exception(error)).splitlines()) if error else ()

    def _error(self) -> BaseException | None:
        task = self._task
        return task.exception() if task is not None and task.done() and not task.cancelled() else None
