"""The checker's door without sockets, and bots as tasks: whole checks under virtual time."""

from __future__ import annotations

import asyncio
import json
import traceback
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, Protocol

import msgpack

from tabiya.check.outcomes import LineEnded
from tabiya.check.scripted_server import BROKEN, Frame, Line
from tabiya.protocol.codec import Encoding, negotiate

GOODBYE = object()


class LocalConnection:
    """Both ends of a line: the checker's is a `Line`, the bot's are `say`, `heard` and `leave`."""

    def __init__(self, encoding: Encoding, offered: tuple[str, ...]) -> None:
        self.encoding, self.offered = encoding, offered
        self._up: asyncio.Queue[Any] = asyncio.Queue()
        self._down: asyncio.Queue[Any] = asyncio.Queue()
        self._end: LineEnded | None = None

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
            self._end = LineEnded(code, reason)
            self._up.put_nowait(GOODBYE)
            self._down.put_nowait(GOODBYE)

    # --- the bot's end ---

    def say(self, **message: Any) -> None:
        """Send a message in the encoding of the line."""
        self.send_frame(json.dumps(message) if self.encoding is Encoding.JSON else msgpack.packb(message))

    def send_frame(self, frame: Frame) -> None:
        """Send a frame."""
        if self._end is None:
            self._up.put_nowait(frame)

    async def frames(self) -> AsyncIterator[Frame]:
        """What the server sends, until the end of the line."""
        while (frame := await self._down.get()) is not GOODBYE:
            yield frame

    def waiting(self) -> list[Frame]:
        """What has come already."""
        frames = []
        while not self._down.empty() and (frame := self._down.get_nowait()) is not GOODBYE:
            frames.append(frame)
        return frames

    @property
    def end(self) -> LineEnded:
        """How it ended."""
        assert self._end is not None
        return self._end

    def leave(self) -> None:
        """The bot closes."""
        self._over(1000, "")


class LocalDoor:
    """A `Door` that bots of this process go through."""

    def __init__(self) -> None:
        self.prefer: Encoding | None = None
        self.turned_away: list[str] = []
        self.arrivals: asyncio.Queue[Line] = asyncio.Queue()
        self.is_open = False
        self._lines: list[LocalConnection] = []

    @property
    def url(self) -> str:
        return "local:"

    async def open(self) -> None:
        self.is_open = True

    async def shut(self) -> None:
        self.is_open = False
        for line in self._lines:
            line.cut()
        self._lines.clear()

    def connect(self, offered: tuple[str, ...] = ()) -> LocalConnection:
        """A line for a bot. Raises ConnectionRefusedError."""
        encoding = self.prefer if self.prefer and self.prefer.subprotocol in offered else negotiate(offered)
        if encoding is None:
            self.turned_away.append(", ".join(offered))
        if encoding is None or not self.is_open:
            raise ConnectionRefusedError
        line = LocalConnection(encoding, offered)
        self._lines.append(line)
        self.arrivals.put_nowait(line)
        return line


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

    def said(self) -> tuple[str, ...]:
        error = self._error()
        return tuple("".join(traceback.format_exception(error)).splitlines()) if error else ()

    def _error(self) -> BaseException | None:
        task = self._task
        return task.exception() if task is not None and task.done() and not task.cancelled() else None
