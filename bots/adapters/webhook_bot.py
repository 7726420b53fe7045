"""A bot whose moves are asked for by HTTP: one POST a turn, answered with the protocol's `move`.

    bot = WebhookBot("https://example.org/move", secret="whsec_…")

The requests are signed as the specification Standard Webhooks says (docs/sources.md#webhooks).
"""

from __future__ import annotations

import base64
import binascii
import hmac
import time
import uuid
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

import msgspec

from tabiya.bots.client.bot import Bot
from tabiya.bots.client.choice import Choice
from tabiya.bots.client.connection import library
from tabiya.bots.client.turn import Turn
from tabiya.protocol.codec import CodecError, Encoding, decode_client
from tabiya.protocol.limits import DEFAULT_LIMITS
from tabiya.protocol.messages import MatchEnded, Move, Resign
from tabiya.protocol.printable import printable

CONNECT_S = 5.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 2.0
TRY_AGAIN = (429, 502, 503, 504)  # a proxy says that the receiver was not reached, or is busy
PREFIX = "whsec_"
LEAST_BYTES, MOST_BYTES = 24, 64  # of a secret, by the specification
LONGEST_SAID = 200  # characters of an answer that are shown


class WebhookError(Exception):
    """The receiver cannot be asked, or its answer is none; one sentence."""


class _NotReached(WebhookError):
    """There is no answer, so the same turn may be sent again."""


class WebhookBot(Bot):
    """Asks `url` for every move. Nothing is played but the one answer to the turn that was sent.

    url: http:// or https://.  secret: `whsec_` and 24 to 64 bytes in base64; empty: the requests are not signed.
    Raises WebhookError for anything else.
    """

    needs_rules = False

    def __init__(self, url: str, *, secret: str = "", name: str = "webhook", version: str = "") -> None:
        self.name, self.version = name, version
        self._url, (self._scheme, self._host, self._port, self._path) = url, _parts(url)
        self._key = key_of(secret) if secret else b""
        self._connections: dict[int, HTTPConnection] = {}

    def choose(self, turn: Turn) -> Choice:
        """The receiver's answer. While none comes the turn is sent again, as long as there is time.

        Raises WebhookError: no answer in time, another status than 200, or no move for this turn.
        """
        body = turn_body(turn)
        headers = {"Content-Type": "application/json", "User-Agent": library()}
        number = uuid.uuid4().hex
        pause_s = FIRST_PAUSE_S
        while True:
            signed = signature_headers(self._key, number, body, round(time.time())) if self._key else {}
            try:
                return self._answer(turn, body, headers | signed)
            except _NotReached as error:
                if turn.stopped or turn.time_left <= pause_s:
                    raise WebhookError(str(error)) from None
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    def match_ended(self, match: MatchEnded) -> None:
        """Close the match's own connection."""
        if connection := self._connections.pop(match.match, None):
            connection.close()

    def close(self) -> None:
        """Close all connections."""
        for connection in self._connections.values():
            connection.close()

    def _answer(self, turn: Turn, body: bytes, headers: dict[str, str]) -> Choice:
        status, answer = self._post(turn, body, headers)
        if status in TRY_AGAIN:
            raise _NotReached(f"{self._url} answers with HTTP status {status}")
        if status != 200:
            raise WebhookError(f"{self._url} answers with HTTP status {status}: {_shown(answer)}")
        return read_answer(answer, turn, self._url)

    def _post(self, turn: Turn, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
        """Status and body of the answer. Raises WebhookError."""
        kind = HTTPSConnection if self._scheme == "https" else HTTPConnection
        connection = self._connections.setdefault(turn.match, kind(self._host, self._port))
        left_s = max(turn.time_left, 0.01)
        try:
            if connection.sock is None:
                connection.timeout = min(CONNECT_S, left_s)
                connection.connect()
            connection.sock.settimeout(left_s)
            connection.request("POST", self._path, body, headers)
            response = connection.getresponse()
            return response.status, response.read(DEFAULT_LIMITS.frame_bytes + 1)
        except (OSError, HTTPException) as error:
            connection.close()
            late = "no answer in time" if isinstance(error, TimeoutError) else ""
            cause = late or getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise _NotReached(f"{self._url} does not answer: {cause}") from None


def turn_body(turn: Turn) -> bytes:
    """The turn as the server sent it, in JSON; with `refused` if it is asked again because an answer was refused."""
    plain = msgspec.to_builtins(turn.message)
    return msgspec.json.encode(plain | {"refused": turn.refused} if turn.refused else plain)


def read_answer(body: bytes, turn: Turn, url: str) -> Choice:
    """The choice that the body of an answer is. Raises WebhookError unless it is a move for this turn, or resigns."""
    try:
        message = decode_client(body.decode(), Encoding.JSON)
    except (CodecError, UnicodeDecodeError) as error:
        move = error.move if isinstance(error, CodecError) else None  # if only its `info` is bad
        if move is None:
            raise WebhookError(f"{url} answers with no message of the protocol: {error}") from None
        message = move
    match message:
        case Resign() if message.match == turn.match:
            return Choice(resign=True, failure=message.failure)
        case Move() if (message.match, message.ply) == (turn.match, turn.ply):
            return Choice(message.move, info=message.info)
        case Move() | Resign():
            at = f", ply {message.ply}" if isinstance(message, Move) else ""
            raise WebhookError(
                f"{url} answers for match {message.match}{at}; it was asked for match {turn.match}, ply {turn.ply}"
            )
    raise WebhookError(f"{url} answers with {_shown(body)}; a `move` or a `resign` is the answer to a turn")


def key_of(secret: str) -> bytes:
    """The bytes of a secret. Raises WebhookError."""
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not secret.startswith(PREFIX) or not LEAST_BYTES <= len(key) <= MOST_BYTES:
        raise WebhookError(f"a secret is {PREFIX} and {LEAST_BYTES} to {MOST_BYTES} bytes in base64; this one is not")
    return key


def signature_headers(key: bytes, number: str, body: bytes, now: int) -> dict[str, str]:
    """The three headers that prove the sender to the receiver.

    number: of the turn, the same when it is sent again.  now: seconds since 1970.
    """
    signed = hmac.digest(key, f"{number}.{now}.".encode() + body, "sha256")
    return {
        "webhook-id": number,
        "webhook-timestamp": str(now),
        "webhook-signature": f"v1,{base64.b64encode(signed).decode()}",
    }


def _parts(url: str) -> tuple[str, str, int | None, str]:
    """Scheme, host, port and path of an address. Raises WebhookError."""
    none = WebhookError(f"{printable(url)!r} is no address to post to; write https://HOST/PATH or http://HOST:PORT/")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise none from None
    if not host or parts.scheme not in ("http", "https") or parts.username or any(c <= " " or c > "~" for c in url):
        raise none
    return parts.scheme, host, port, (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _shown(body: bytes) -> str:
    return repr(printable(body.decode(errors="replace"))[:LONGEST_SAID])
