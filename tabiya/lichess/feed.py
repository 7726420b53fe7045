"""The queue of lines for one stream of a client."""

from __future__ import annotations

import asyncio

from tabiya.lichess.forms import Json

MOST_LINES = 64  # that wait: a client so far behind is cut, and gets the whole state when it comes back


class Feed:
    """`put` never waits; `next` does. Ended by `end`, or by itself when its reader is too far behind."""

    def __init__(self) -> None:
        self._lines = asyncio.Queue[Json | None]()
        self._ended = False

    def put(self, line: Json) -> None:
        """One line more; dropped after the end."""
        if self._lines.qsize() >= MOST_LINES:
            self.end()
        elif not self._ended:
            self._lines.put_nowait(line)

    def end(self) -> None:
        """No more lines."""
        if not self._ended:
            self._ended = True
            self._lines.put_nowait(None)

    async def next(self, seconds: float) -> Json | None:
        """The next line; None at the end. Raises TimeoutError when none has come in time."""
        async with asyncio.timeout(seconds):
            return await self._lines.get()
