"""Attacks of hostile peers on the two ports of a server: one method for each kind, drawn by `HostileClients.act`.

Each ends its connection. What a server must never do (send what is no message, agree to
compression, leave a connection open that it should have closed, stop answering) goes into `HostileClients.wrong`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from random import Random

from scripts.long_runs.fuzzing.mutations import MessageMutator
from scripts.long_runs.fuzzing.raw_websocket import Closed, RawWebsocket
from scripts.websocket_frames import BINARY, CLOSE, PING, TEXT
from tabiya.protocol.codec import Encoding

PATIENCE_S = 30.0
MESSAGES_IN_A_SESSION = 400
AT_ONCE = 10  # messages written before it is looked whether the server has closed
PATHS = (
    "/", "/api/v1/matches", "/api/v1/matches/1", "/api/v1/matches/99999999999999999999", "/api/v1/bots/%ff%00",
    "/api/v1/bots/..%2f..", "/api/v1/register", "/api/v1/tournaments", "/api/v1/matches?limit=-1&before=x", "/%", "//",
    "/../etc/passwd", "*", "http://x/", "/matches/1", "/static/../app.py", "/metrics", "/api/v1/matches/1/abort",
    "/api/matches", "/" + "a" * 5_000, "/?" + "a=1&" * 1_000,
)  # fmt: skip
HEADERS = (
    "Host: localhost", "Host: [", "Host: a\tb", "Origin: null", "Origin: http://[", "Connection: close",
    "Expect: 100-continue",
    "Content-Length: 5", "Content-Length: -1", "Content-Length: 99999999999", "Transfer-Encoding: chunked",
    "Transfer-Encoding: gzip, chunked", "Content-Type: application/json", "Content-Type: multipart/form-data",
    "Content-Encoding: gzip", "Cookie: \x80\xff", "Authorization: Bearer \xe9", "Range: bytes=0-", "X: " + "y" * 9_000,
    "Accept-Language: " + "de," * 2_000, "Upgrade: websocket", "Connection: Upgrade", "If-None-Match: \"",
    " folded: yes",
    "Sec-WebSocket-Version: 12", "Sec-WebSocket-Key: short", "Sec-WebSocket-Extensions: permessage-deflate; x=\"",
    "Sec-WebSocket-Protocol: ,,,", "Sec-WebSocket-Protocol: tabiya.v9.xml", "No colon", "\x00: \x00",
)  # fmt: skip
BODIES = (
    b"",
    b"{}",
    b"{",
    b"[" * 30_000,
    b"\xff\xfe",
    b'{"name":"\\ud800"}',
    b'{"name":' + b"9" * 5_000 + b"}",
    b"5\r\nhello\r\n",
)


class HostileClients:
    """Draws what to do next. did: how often each kind was done."""

    def __init__(self, host: str, port: int, pages_port: int, draw: Random) -> None:
        self._host, self._port, self._pages_port, self._draw = host, port, pages_port, draw
        self.did: Counter[str] = Counter()
        self.closes: Counter[str] = Counter()
        self.answers: Counter[str] = Counter()
        self.wrong: list[str] = []
        self._kinds: list[tuple[int, Callable[[], Awaitable[None]]]] = [
            (70, self.mutated_messages),
            (8, self.broken_frames),
            (5, self.broken_handshake),
            (5, self.broken_request),
            (3, self.cut_in_the_middle),
            (3, self.fragments),
            (1, self.never_reading),
        ]

    async def act(self) -> None:
        """One of them."""
        (kind,) = self._draw.choices([each for _, each in self._kinds], [weight for weight, _ in self._kinds])
        self.did[kind.__name__] += 1
        with contextlib.suppress(OSError):  # the server has ended the connection
            await kind()

    # --- messages

    async def mutated_messages(self) -> None:
        """A bot that sends random messages until the server closes."""
        async with self._welcome_line() as (line, mutator):
            for _ in range(self._draw.randrange(1, MESSAGES_IN_A_SESSION // AT_ONCE)):
                for _ in range(AT_ONCE):
                    line.data(mutator.frame(line.encoding))
                await self._settle(line)
                if line.is_closed:
                    break

    async def fragments(self) -> None:
        """Messages in pieces, with control frames between them, some never finished."""
        async with self._welcome_line() as (line, mutator):
            for _ in range(20):
                frame = mutator.frame(line.encoding)
                raw = frame.encode("utf-8", "surrogatepass") if isinstance(frame, str) else frame
                opcode = TEXT if isinstance(frame, str) else BINARY
                pieces = [raw[at : at + 7] for at in range(0, len(raw), 7)][:200] or [b""]
                for number, piece in enumerate(pieces):
                    last = number == len(pieces) - 1 and self._draw.random() < 0.9
                    line.frame(0 if number else opcode, piece, fin=last)
                    if self._draw.random() < 0.05:
                        line.frame(PING, b"between")
            await self._settle(line)

    async def never_reading(self) -> None:
        """A peer that sends much and reads nothing."""
        async with self._welcome_line() as (line, mutator):
            line.stop_reading()
            for _ in range(MESSAGES_IN_A_SESSION):
                line.data(mutator.frame(line.encoding))
            await asyncio.sleep(0.2)

    # --- the websocket's own rules

    async def broken_frames(self) -> None:
        """What RFC 6455 forbids: the server must close."""
        async with self._welcome_line() as (line, _):
            await self._choose_breach(line)
            await line.flush()
            try:
                await line.ended(PATIENCE_S)
            except Closed as error:
                self.wrong.append(f"after a breach of the websocket's rules: {error}")

    async def _choose_breach(self, line: RawWebsocket) -> None:
        text = b'{"type":"unseek","game":"chess"}'
        match self._draw.randrange(11):
            case 0:
                line.frame(TEXT, text, masked=False)
            case 1:
                line.frame(TEXT, text, rsv=self._draw.randrange(1, 8))  # 4: compressed, never agreed to
            case 2:
                line.frame(self._draw.choice((3, 4, 5, 6, 7, 11, 12, 13, 14, 15)), text)
            case 3:
                line.frame(0, text)  # a continuation of nothing
            case 4:
                line.frame(TEXT, text, fin=False)
                line.frame(TEXT, text)
            case 5:
                line.frame(PING, b"x" * 126)
            case 6:
                line.frame(PING, b"", fin=False)
            case 7:
                line.frame(CLOSE, b"\x03")
            case 8:
                line.frame(CLOSE, self._draw.choice((b"\x00\x00", b"\x03\xed", b"\x03\xe8\xff\xfe", b"\xff\xff")))
            case 9:
                line.raw(b"\x81\xff" + self._draw.choice((b"\xff" * 8, b"\x00\x00\x00\x01" + bytes(4))) + bytes(4))
            case _:
                line.frame(CLOSE, b"\x03\xe8bye")

    async def cut_in_the_middle(self) -> None:
        """HonestBot a frame, then nothing, a goodbye or a reset."""
        async with self._welcome_line() as (line, _):
            head = b"\x81\xfe\x10\x00" + bytes(4) + b"{" * self._draw.randrange(200)
            line.raw(head[: self._draw.randrange(1, len(head) + 1)])
            with contextlib.suppress(Closed):
                await line.flush()

    # --- before there is a websocket

    async def broken_handshake(self) -> None:
        """HTTP that is none, too much of it, the wrong one, or a part of it, on the port of the bots."""
        await self._say_http(self._port, self._http())

    async def broken_request(self) -> None:
        """The same on the port of the pages."""
        await self._say_http(self._pages_port, self._http())

    def _http(self) -> bytes:
        draw = self._draw
        match draw.randrange(8):
            case 0:
                return draw.randbytes(draw.randrange(1, 2_000))
            case 1:
                return b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + draw.randbytes(200)  # TLS
            case 2:
                return b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 2_000 + b"\r\n"
            case 3:
                return b"A" * 100_000
            case _:
                method = draw.choice(("GET", "GET", "POST", "HEAD", "OPTIONS", "PUT", "BREW", "get", "G\x00T"))
                version = draw.choice(("HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/9.9", "HTTP/2.0", "", "HTTP/1.1 "))
                lines = [f"{method} {draw.choice(PATHS)} {version}", *draw.choices(HEADERS, k=draw.randrange(8))]
                request = "\r\n".join([*lines, "", ""]).encode("latin-1") + draw.choice(BODIES)
                return request[: draw.randrange(1, len(request) + 1)] if draw.random() < 0.2 else request

    async def _say_http(self, port: int, request: bytes) -> None:
        reader, writer = await asyncio.open_connection(self._host, port)
        try:
            writer.write(request)
            if self._draw.random() < 0.5:
                writer.write_eof()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._draw.choice((0.0, 0.05, 0.2))):
                    answer = await reader.read(4_096)
                    if answer.startswith(b"HTTP/1.") and answer[9:12] == b"500":
                        self.wrong.append(f"port {port} answers {request[:200]!r} with {answer[:300]!r}")
        finally:
            if self._draw.random() < 0.3:
                writer.transport.abort()
            writer.close()

    # --- in common

    @contextlib.asynccontextmanager
    async def _welcome_line(self) -> AsyncIterator[tuple[RawWebsocket, MessageMutator]]:
        """A websocket that has said hello (mostly), ended afterwards; a closed one ends the block without an error."""
        draw = self._draw
        line = await RawWebsocket.connect(self._host, self._port)
        mutator = MessageMutator(draw)
        line.on_message = mutator.observe
        try:
            extension = ["Sec-WebSocket-Extensions: permessage-deflate"] if draw.random() < 0.3 else []
            await line.upgrade(draw.choice((None, *Encoding)), *extension)
            if draw.random() < 0.95:
                line.data(mutator.encoded(mutator.hello(), line.encoding))
                if draw.random() < 0.95:
                    await line.first_message(PATIENCE_S)
            yield line, mutator
        except Closed as closed:
            if "no answer" in str(closed):
                self.wrong.append(str(closed))
        finally:
            await line.drop(reset=draw.random() < 0.3)
            self.answers.update(line.kinds)
            self.closes[str(line.close_code)] += 1
            self.wrong += line.wrong[:3]

    async def _settle(self, line: RawWebsocket) -> None:
        """Wait until the server has answered everything so far: it answers a ping in order."""
        with contextlib.suppress(Closed):
            await line.flush()
        if not line.is_closed:
            line.frame(PING, b"done")
            await line.ponged(PATIENCE_S)
