"""Follows a server's stream, reconnects after a loss, and tries the next of several addresses."""

from __future__ import annotations

import asyncio
import itertools
import logging
import traceback
from collections.abc import AsyncIterator, Sequence

import aiohttp
import msgspec

from tabiya.server.pages_process.mirror import MirroredServer
from tabiya.server.web.schemas.live_server import LiveServer

log = logging.getLogger("tabiya.pages")

SILENT_S = 3.0  # the server says a word each second
RETRY_S = 0.5  # between two tries
LONGEST_ANSWER = 4_096
LARGEST_LINE = 2**22  # bytes that are read ahead: an event is one line


class StreamFailed(Exception):
    """The stream does not come, or not whole; the text is one sentence."""


class ServerListener:
    """Passes the stream's events to a `MirroredServer`: `await run()` until it is cancelled."""

    def __init__(self, addresses: Sequence[str], mirror: MirroredServer) -> None:
        """addresses: of the pages of one server, and of those that take over from it."""
        self._addresses, self._mirror = addresses, mirror
        self._logged = set[str]()

    async def run(self) -> None:
        """Follow the server until cancelled."""
        times = aiohttp.ClientTimeout(total=None, sock_connect=SILENT_S, sock_read=SILENT_S)
        async with aiohttp.ClientSession(timeout=times, read_bufsize=LARGEST_LINE) as session:
            for address in itertools.cycle(self._addresses):
                try:
                    await self._follow(session, address)
                    problem = f"{address} has closed"
                except (aiohttp.ClientError, OSError, StreamFailed) as error:
                    problem = f"{address} does not answer: {str(error) or 'it is silent'}"
                except (msgspec.MsgspecError, ValueError) as error:
                    problem = f"what {address} says cannot be read; is it of this version? ({error})"
                except Exception:
                    problem = f"an internal error, please report it: {traceback.format_exc()}"
                self._mirror.lost()
                self._say(problem)
                await asyncio.sleep(RETRY_S)

    def _say(self, words: str) -> None:
        """Log each cause once while the server is silent."""
        if words not in self._logged:
            self._logged.add(words)
            log.info(words)

    async def _follow(self, session: aiohttp.ClientSession, address: str) -> None:
        """Until the server closes. Raises StreamFailed, and errors of the connection and the decoder."""
        async with session.get(f"{address}/live", allow_redirects=False) as answer:
            if answer.status != 200:
                raise StreamFailed(
                    f"status {answer.status} {_sentence(await answer.content.read(LONGEST_ANSWER))}".rstrip()
                )
            self._mirror.begin(address)
            last: int | None = None
            async for number, data in _events(answer):
                if last is not None and number not in (last, last + 1):
                    raise StreamFailed("an event was missed")
                last = number
                news = msgspec.json.decode(data, type=LiveServer)
                self._mirror.take(news)
                if news.snapshot_complete:
                    self._logged.clear()
                    log.info("%s answers", address)


async def _events(answer: aiohttp.ClientResponse) -> AsyncIterator[tuple[int, bytes]]:
    """Number and data of each event, until the stream ends or the server says that it closes."""
    number = b""
    async for line in answer.content:
        name, _, value = line.rstrip(b"\n").partition(b": ")
        if (name, value) == (b"event", b"closing"):
            return
        if name == b"id":
            number = value
        elif name == b"data":
            yield int(number), value


def _sentence(body: bytes) -> str:
    """The message of a Tabiya server's error; empty for other programs."""
    try:
        return f"({msgspec.json.decode(body, type=dict[str, str])['error']})"
    except (msgspec.MsgspecError, KeyError):
        return ""
